---- MODULE Kettle ----
\* A single process without a label in sight: the translator puts them where they are needed.
EXTENDS Naturals, TLC
(*
--algorithm Kettle
variables water \in 0 .. 2, heat = 20, whistled = FALSE;
begin
    if water = 0 then
        print "nothing to boil";
    elsif water = 1 then
        heat := heat + 20;
    else
        skip;
    end if;
    while heat < 100 do
        either
            heat := heat + 40;
        or
            await heat > 50;
            heat := heat + 50;
        end either;
        whistled := heat >= 100;
    end while;
    assert whistled => heat >= 100;
    heat := 20;
end algorithm
*)
====
