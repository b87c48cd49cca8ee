(** * The certified range is $value

    Written by fpcert from a certificate.  The theorem [certified] at the end says, with the definitions of Semantics.v,
    that N_max is $value; what stands between proves it.  To check it, in this folder:

      coqc -R . Fpcert Semantics.v
      coqc -R . Fpcert Computation.v
      coqc -R . Fpcert Enclosures.v
      coqc -R . Fpcert Claim.v
      coqc -R . Fpcert Assumptions.v
      coqchk -silent -R . Fpcert -norec Fpcert.Semantics -norec Fpcert.Computation -norec Fpcert.Claim

    (coqchk -silent -R . Fpcert Fpcert.Claim checks the libraries too, which takes long.) *)

From Coq Require Import ZArith Reals List Lra.
From Fpcert Require Import Semantics Computation Enclosures.
Import ListNotations.

(** ** The claim *)

Local Open Scope R_scope.

Definition precision : Z := $precision.
Definition emin : Z := $emin.
Definition largest : R := $largest.

Definition g : R := $g.
Definition C : R := $C.
Definition k : Z := $k.

Definition f_large : R := $f_large.
Definition value : Z := $value.

(** ** The numbers as integers: multiples of 2^emin *)

Local Open Scope Z_scope.

Definition top : Z := $top.
Definition f : Z := $f.
Definition below : Z := $below. (* the number of F next below f_large *)

(** Ends of intervals are multiples of 1 / scale. *)

Definition digits : Z := $digits.
Definition scale : Z := $scale.

Lemma top_correct : number emin top = largest.
Proof. unfold largest. rewrite (number_rational emin ltac:(easy) top $largest_n $largest_d) by easy. lra. Qed.

Lemma f_correct : number emin f = f_large.
Proof. unfold f_large. rewrite (number_rational emin ltac:(easy) f $f_large_n $f_large_d) by easy. lra. Qed.

Lemma below_correct : number emin below = ($next_below)%R.
Proof. rewrite (number_rational emin ltac:(easy) below $next_below_n $next_below_d) by easy. lra. Qed.

(** ** Exponentials at f_large and next below it *)

Definition above_exp : Z := $above_exp.
Definition below_exp : Z := $below_exp.

Lemma above_exp_holds : (exp (- number emin f) <= IZR above_exp / IZR scale)%R.
Proof. rewrite f_correct. unfold f_large, above_exp, scale. interval with (i_prec $exp_precision). Qed.

Lemma below_exp_holds : (IZR below_exp / IZR scale <= exp (- number emin below))%R.
Proof. rewrite below_correct. unfold below_exp, scale. interval with (i_prec $exp_precision). Qed.

(** ** The realized blocks (c_i, s_i) and the bias *)

Ltac numbers t := cbv [turn_holds holds position cosine sine low high t g C k scale].

$turns

Definition turns : list turn := [$names].

Lemma turns_correct : turns_hold scale g turns.
Proof.
exact $proofs.
Qed.

Definition bias : turn := $bias.

Lemma bias_correct :
  holds scale (cosine bias) (C * cos (g * IZR k)) /\ holds scale (sine bias) (- (C * sin (g * IZR k))).
Proof. numbers bias. $bias_proof Qed.

(** ** The computation *)

Lemma checked : check precision emin top digits k turns bias below f above_exp below_exp value $witness = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** ** The theorem *)

Theorem certified : n_max_is precision emin largest g C k value.
Proof.
rewrite <- top_correct.
apply (sound precision emin top) with
  (d := digits) (scale := scale) (turns := turns) (bias := bias) (below := below) (f := f)
  (above_exp := above_exp) (below_exp := below_exp) (witness := $witness%nat).
- reflexivity. (* 0 < precision *)
- easy. (* emin <= 0 *)
- easy. (* 0 <= digits *)
- reflexivity. (* scale = 2 ^ (digits - emin) *)
- easy. (* 1 <= k *)
- exact turns_correct.
- exact bias_correct.
- exact above_exp_holds.
- exact below_exp_holds.
- exact checked.
Qed.
