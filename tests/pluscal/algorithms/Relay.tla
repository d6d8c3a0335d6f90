---- MODULE Relay ----
\* Markers that are there already, two processes of one identity each, labels with the option.
EXTENDS Naturals
\* PlusCal options (-label -sf)
(*
--algorithm Relay
variables baton = 1, laps = 0;
process first = 1
begin
    run: await baton = self;
    baton := 2;
    laps := laps + 1;
    laps := laps * self;
end process;
process second = 1 + 1
variables tired = FALSE
begin
    while laps < 2 do
        await baton = self;
        baton := 1;
        if tired then goto stop end if;
        tired := TRUE;
    end while;
stop:
    baton := 0;
end process
end algorithm
*)
\* BEGIN TRANSLATION
\* END TRANSLATION

Fine == baton \in 0 .. 2
====
