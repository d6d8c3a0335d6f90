---- MODULE Library ----
\* Procedures of several processes: parameters, locals, recursion, calls that are followed by a jump, names that clash.
EXTENDS Naturals, Sequences, TLC
CONSTANTS Readers
(* --algorithm Library
variables shelf = <<"atlas", "novel">>, lent = {}, log = [count |-> 0, last |-> ""];

macro note(entry, what) begin
    entry.count := entry.count + 1 || entry.last := what;
end macro;

macro noteTwice(entry, what) begin
    note(entry, what);
end macro;

procedure borrow(title = "", tries)
    variables found = FALSE; place;
begin
look:
    found := title \in {shelf[i] : i \in DOMAIN shelf};
again:
    if ~found /\ tries > 0 then
        call borrow(title, tries - 1);
        return;
    end if;
take:
    if found then
        place := CHOOSE i \in DOMAIN shelf : shelf[i] = title;
        lent := lent \union {title};
        call record(title);
    end if;
done:
    return;
end procedure;

procedure record(title)
begin
write:
    noteTwice(log, title);
    return;
end procedure;

fair process reader \in Readers
    variables title = "atlas", wishes \in {{"novel"}, {}};
begin
ask:
    while wishes # {} do
        with w \in wishes do
            title := w;
            wishes := wishes \ {w};
        end with;
want:+
        call borrow(title, 1);
    end while;
leave:
    call record(title);
    goto Done;
end process;

fair+ process janitor = 0
    variable title = "none";
begin
sweep:-
    if lent # {} then
        call record(title);
    else
rest:-
        title := "broom";
    end if;
over:
    skip;
end process;
end algorithm; *)
====
