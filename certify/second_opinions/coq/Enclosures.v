(** * Enclosures of real numbers

    The tactic [interval], computing with Coq's own integers: its usual instances compute with machine integers or machine
    floats, about which Coq then assumes axioms. *)

From Interval Require Import Float.Specific_stdz Float.Specific_ops Tactic.

Module Floats := SpecificFloat StdZRadix2.
Module Tactics := IntervalTactic Floats.

Export Interval.Tactic.
Export Tactics.
