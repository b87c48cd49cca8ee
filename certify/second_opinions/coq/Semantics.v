(** * What a certificate of a certified range says, over the real numbers

    Nothing here is computed and nothing is proved: this file is the statement, "semantics 1", sections 1, 3, 4 and 5,
    for one value set, rounding to nearest-even and the realization [ideal].  Who believes this file and Coq needs to
    read no other. *)

From Coq Require Import ZArith Reals.
From Flocq Require Import Core.

Local Open Scope R_scope.

Section Machine.

(** ** The value set F

    All numbers m 2^e with |m| < 2^[prec] and e >= [emin] of magnitude at most [largest].  ([emin] is the exponent of the
    least positive value.) *)

Variables prec emin : Z.
Variable largest : R.

Definition in_F (x : R) : Prop := generic_format radix2 (FLT_exp emin prec) x /\ Rabs x <= largest.

(** Rounding to nearest, ties to even.  First as if magnitudes had no end; what is then above [largest] is beyond range:
    there is no number, [None].  (The machine has an infinity or NaN there.  From those +, - and * never come back to a
    number, so that a score with such an operand is none either.) *)

Definition nearest (x : R) : R := round radix2 (FLT_exp emin prec) ZnearestE x.

Definition rnd (x : R) : option R := if Rle_dec (Rabs (nearest x)) largest then Some (nearest x) else None.

(** One operation, one rounding. *)

Definition lift (f : R -> R -> R) (a b : option R) : option R :=
  match a, b with Some x, Some y => rnd (f x y) | _, _ => None end.

Definition add := lift Rplus.
Definition sub := lift Rminus.
Definition mul := lift Rmult.

(** ** f_large: the least positive number of F whose exp(-f) rounds to 0 *)

Definition vanishes (f : R) : Prop := rnd (exp (- f)) = Some 0.

Definition is_f_large (f : R) : Prop :=
  in_F f /\ 0 < f /\ vanishes f /\ (forall x : R, in_F x -> 0 < x -> vanishes x -> f <= x).

(** ** The k-offset head: angle g, scale C, offset k *)

Variables g C : R.
Variable k : Z.

Definition c (i : Z) : option R := rnd (cos (g * IZR i)).
Definition s (i : Z) : option R := rnd (sin (g * IZR i)).

Definition b0 : option R := rnd (C * cos (g * IZR k)).
Definition b1 : option R := rnd (- (C * sin (g * IZR k))).

Definition q0 (i : Z) : option R := sub (mul (c i) b0) (mul (s i) b1).
Definition q1 (i : Z) : option R := add (mul (s i) b0) (mul (c i) b1).

Definition score (i j : Z) : option R := add (mul (q0 i) (c j)) (mul (q1 i) (s j)).

(** ** The certified range *)

(** The query i scores its target i-k by at least f above the key j. *)

Definition gap_holds (f : R) (i j : Z) : Prop :=
  exists t u : R, score i (i - k) = Some t /\ score i j = Some u /\ f <= t - u.

Definition selects (f : R) (L : Z) : Prop :=
  forall i j : Z, (k + 1 <= i <= L + 1)%Z -> (0 <= j < i)%Z -> j <> (i - k)%Z -> gap_holds f i j.

(** N is the greatest length at which the head is certain to select. *)

Definition n_max_is (N : Z) : Prop :=
  exists f : R, is_f_large f /\ selects f N /\ (forall L : Z, selects f L -> (L <= N)%Z).

End Machine.
