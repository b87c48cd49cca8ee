(** * The claim, decided by integers

    A number of F is an integer multiple of the unit 2^emin, so every operation is one on integers.  [rne_correct] says
    that rounding integers is rounding numbers; [sound] that a computation with the answer [true] proves a certified
    range, given enclosures of the cosines, sines and exponentials that it starts from. *)

From Coq Require Import ZArith Reals List Bool Lia Lra.
From Flocq Require Import Core.
From Fpcert Require Import Semantics.
Import ListNotations.

Local Open Scope Z_scope.

(** ** Rounding an integer *)

(** n / 2^s to the nearest integer, ties to even, for s >= 0. *)

Definition half_even (n s : Z) : Z :=
  let q := Z.shiftr n s in
  match 2 * (n - Z.shiftl q s) ?= Z.shiftl 1 s with
  | Lt => q
  | Gt => q + 1
  | Eq => if Z.even q then q else q + 1
  end.

Lemma half_even_correct : forall n s, 0 <= s -> ZnearestE (IZR n / IZR (2 ^ s)) = half_even n s.
Proof.
intros n s Hs.
assert (H : 0 < 2 ^ s) by (apply Z.pow_pos_nonneg; lia).
assert (HR : (0 < IZR (2 ^ s))%R) by now apply IZR_lt.
unfold ZnearestE, half_even. rewrite Z.shiftr_div_pow2, !Z.shiftl_mul_pow2, Z.mul_1_l by easy.
assert (F : Zfloor (IZR n / IZR (2 ^ s)) = n / 2 ^ s) by (apply Zfloor_div; lia).
set (q := n / 2 ^ s) in *.
assert (E : (IZR n / IZR (2 ^ s) - IZR q = IZR (n - q * 2 ^ s) / IZR (2 ^ s))%R).
{ rewrite minus_IZR, mult_IZR. field. lra. }
assert (R : 0 <= n - q * 2 ^ s < 2 ^ s).
{ pose proof (Z.mod_pos_bound n (2 ^ s) H) as M. rewrite Z.mod_eq in M by lia. fold q in M. rewrite Z.mul_comm. exact M. }
set (r := n - q * 2 ^ s) in *.
unfold Znearest. rewrite F, E.
assert (C : Rcompare (IZR r / IZR (2 ^ s)) (/ 2) = (2 * r ?= 2 ^ s)).
{ destruct (Z.compare_spec (2 * r) (2 ^ s)) as [K | K | K].
  - apply Rcompare_Eq. apply (f_equal IZR) in K. rewrite mult_IZR in K. rewrite <- K. field. lra.
  - apply Rcompare_Lt. apply Rmult_lt_reg_r with (IZR (2 ^ s)); [easy |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. apply IZR_lt in K. rewrite mult_IZR in K. lra.
  - apply Rcompare_Gt. apply Rmult_lt_reg_r with (IZR (2 ^ s)); [easy |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. apply IZR_lt in K. rewrite mult_IZR in K. lra. }
rewrite C.
assert (U : r <> 0 -> Zceil (IZR n / IZR (2 ^ s)) = q + 1).
{ intros N. rewrite Zceil_floor_neq, F; [easy |]. rewrite F. intros A.
  assert (IZR r / IZR (2 ^ s) = 0)%R by lra.
  apply N, eq_IZR. apply Rmult_eq_reg_r with (/ IZR (2 ^ s))%R; [lra |]. apply Rinv_neq_0_compat. lra. }
destruct (Z.compare_spec (2 * r) (2 ^ s)); [| reflexivity |].
- destruct (Z.even q); [reflexivity |]. apply U. lia.
- apply U. lia.
Qed.

Section Machine.

Variables prec emin top : Z.
Hypothesis prec_positive : 0 < prec.
Hypothesis emin_negative : emin <= 0.

Instance prec_gt_0 : Prec_gt_0 prec := prec_positive.

Notation fexp := (FLT_exp emin prec).
Notation nearest := (nearest prec emin).

(** The number that an integer stands for, and the largest one. *)

Definition number (n : Z) : R := (IZR n / IZR (2 ^ (- emin)))%R.

Notation largest := (number top).
Notation rnd := (rnd prec emin largest).

(** n 2^-d units, rounded: to the units of [cexp], of which there are 2^(s-d) to each. *)

Definition rne (d n : Z) : Z :=
  let s := Z.max (Zdigits2 n - prec) d in Z.shiftl (half_even n s) (s - d).

Lemma power_positive : forall e, 0 <= e -> (0 < IZR (2 ^ e))%R.
Proof. intros e H. apply IZR_lt. apply Z.pow_pos_nonneg; lia. Qed.

Lemma bpow_inverse : forall e, 0 <= e -> bpow radix2 (- e) = (/ IZR (2 ^ e))%R.
Proof. intros e H. rewrite bpow_opp. f_equal. rewrite <- IZR_Zpower by easy. reflexivity. Qed.

Lemma number_bpow : forall n, number n = (IZR n * bpow radix2 emin)%R.
Proof. intros n. unfold number, Rdiv. rewrite <- bpow_inverse by lia. now rewrite Z.opp_involutive. Qed.

Theorem rne_correct : forall d n, 0 <= d -> nearest (IZR n / IZR (2 ^ (d - emin))) = number (rne d n).
Proof.
intros d n Hd. unfold Semantics.nearest.
destruct (Z.eq_dec n 0) as [-> | N].
{ unfold Rdiv. rewrite Rmult_0_l, round_0 by apply valid_rnd_N. unfold rne.
  simpl Zdigits2. rewrite Z.max_r by lia. unfold half_even. rewrite Z.shiftr_0_l, !Z.shiftl_mul_pow2 by lia.
  rewrite Z.mul_1_l.
  assert (P : 0 < 2 ^ d) by (apply Z.pow_pos_nonneg; lia).
  change (2 * (0 - 0 * 2 ^ d)) with 0. rewrite (proj2 (Z.compare_lt_iff 0 (2 ^ d))) by easy.
  unfold number. simpl (0 * _). lra. }
assert (X : (IZR n / IZR (2 ^ (d - emin)) = F2R (Float radix2 n (emin - d)))%R).
{ unfold F2R, Rdiv. simpl. f_equal. replace (emin - d) with (- (d - emin)) by lia. now rewrite bpow_inverse by lia. }
rewrite X. unfold round, scaled_mantissa, cexp.
rewrite mag_F2R_Zdigits by easy. rewrite <- Zdigits2_Zdigits. unfold FLT_exp.
set (s := Z.max (Zdigits2 n - prec) d).
replace (Z.max (Zdigits2 n + (emin - d) - prec) emin) with (s + emin - d) by lia.
assert (S : 0 <= s) by lia.
unfold F2R at 2. simpl Fnum. simpl Fexp.
rewrite Rmult_assoc, <- bpow_plus.
replace (emin - d + - (s + emin - d)) with (- s) by lia.
rewrite bpow_inverse by easy. fold (IZR n / IZR (2 ^ s))%R.
rewrite half_even_correct by easy.
rewrite number_bpow. unfold rne. fold s. rewrite Z.shiftl_mul_pow2 by lia. unfold F2R. simpl.
rewrite mult_IZR, Rmult_assoc. f_equal.
replace (s + emin - d) with (s - d + emin) by lia. rewrite bpow_plus. f_equal.
rewrite <- IZR_Zpower by lia. reflexivity.
Qed.

Lemma number_le : forall m n, m <= n <-> (number m <= number n)%R.
Proof.
intros m n. unfold number, Rdiv. assert (P := power_positive (- emin) ltac:(lia)).
split; intros H.
- apply Rmult_le_compat_r; [| now apply IZR_le]. apply Rlt_le. now apply Rinv_0_lt_compat.
- apply le_IZR. apply Rmult_le_reg_r with (2 := H). now apply Rinv_0_lt_compat.
Qed.

Lemma number_lt : forall m n, m < n <-> (number m < number n)%R.
Proof.
intros m n. split; intros H.
- apply Rnot_le_lt. rewrite <- number_le. lia.
- apply Z.nle_gt. intros K. apply number_le in K. lra.
Qed.

Lemma number_inj : forall m n, number m = number n -> m = n.
Proof. intros m n H. apply Z.le_antisymm; apply number_le; lra. Qed.

Lemma number_rational : forall n a b, 0 < b -> n * b = a * 2 ^ (- emin) -> number n = (IZR a / IZR b)%R.
Proof.
intros n a b B H. assert (P := power_positive (- emin) ltac:(lia)). apply IZR_lt in B.
apply (f_equal IZR) in H. rewrite !mult_IZR in H. unfold number.
apply Rmult_eq_reg_r with (IZR b * IZR (2 ^ (- emin)))%R; [field_simplify; lra | nra].
Qed.

Lemma number_0 : number 0 = 0%R.
Proof. unfold number. lra. Qed.

Lemma number_minus : forall m n, number (m - n) = (number m - number n)%R.
Proof. intros. unfold number. rewrite minus_IZR. lra. Qed.

Lemma number_abs : forall n, Rabs (number n) = number (Z.abs n).
Proof.
intros n. unfold number, Rdiv. rewrite Rabs_mult, abs_IZR. f_equal.
apply Rabs_pos_eq, Rlt_le, Rinv_0_lt_compat, power_positive. lia.
Qed.

(** ** Operations *)

Definition within (n : Z) : option Z := if Z.abs n <=? top then Some n else None.

Definition value (a : option Z) : option R := option_map number a.

Lemma rnd_within : forall x n, nearest x = number n -> rnd x = value (within n).
Proof.
intros x n H. unfold Semantics.rnd, within. rewrite H, number_abs.
destruct (Rle_dec (number (Z.abs n)) largest) as [L | L]; rewrite <- number_le in L; destruct (Z.leb_spec (Z.abs n) top);
  try reflexivity; lia.
Qed.

Definition lift (f : Z -> Z -> Z) (a b : option Z) : option Z :=
  match a, b with Some x, Some y => within (f x y) | _, _ => None end.

Definition add := lift (fun x y => rne 0 (x + y)).
Definition sub := lift (fun x y => rne 0 (x - y)).
Definition mul := lift (fun x y => rne (- emin) (x * y)).

Lemma add_correct : forall a b, Semantics.add prec emin largest (value a) (value b) = value (add a b).
Proof.
intros [x |] [y |]; try reflexivity. apply rnd_within.
rewrite <- rne_correct by lia. f_equal. unfold number. replace (0 - emin) with (- emin) by lia. rewrite plus_IZR. lra.
Qed.

Lemma sub_correct : forall a b, Semantics.sub prec emin largest (value a) (value b) = value (sub a b).
Proof.
intros [x |] [y |]; try reflexivity. apply rnd_within.
rewrite <- rne_correct by lia. f_equal. unfold number. replace (0 - emin) with (- emin) by lia. rewrite minus_IZR. lra.
Qed.

Lemma mul_correct : forall a b, Semantics.mul prec emin largest (value a) (value b) = value (mul a b).
Proof.
intros [x |] [y |]; try reflexivity. apply rnd_within.
rewrite <- rne_correct by lia. f_equal. unfold number.
replace (- emin - emin) with (- emin + - emin) by lia. rewrite Z.pow_add_r, !mult_IZR by lia.
field. apply Rgt_not_eq, power_positive. lia.
Qed.

(** ** A real number in an interval whose ends round alike *)

Variable d : Z.
Hypothesis d_positive : 0 <= d.

(** An enclosure lo / scale <= x <= hi / scale, with [scale] = 2^(d - emin) to one, and the integer that it is claimed to
    round to. *)

Variable scale : Z.
Hypothesis scale_correct : scale = 2 ^ (d - emin).

Record enclosed := { low : Z; high : Z; rounded : Z }.

Definition holds (e : enclosed) (x : R) : Prop := (IZR (low e) / IZR scale <= x <= IZR (high e) / IZR scale)%R.

Lemma nearest_le : forall x y, (x <= y)%R -> (nearest x <= nearest y)%R.
Proof. intros x y H. apply round_le; [apply FLT_exp_valid; exact prec_gt_0 | apply valid_rnd_N | easy]. Qed.

Definition consistent (e : enclosed) : bool := (rne d (low e) =? rounded e) && (rne d (high e) =? rounded e).

Lemma holds_rnd : forall e x, consistent e = true -> holds e x -> rnd x = value (within (rounded e)).
Proof.
intros e x K [L H]. rewrite scale_correct in L, H. apply andb_prop in K. destruct K as [A B]. apply Z.eqb_eq in A, B.
apply rnd_within, Rle_antisym.
- rewrite <- B, <- rne_correct by easy. now apply nearest_le.
- rewrite <- A, <- rne_correct by easy. now apply nearest_le.
Qed.

(** ** f_large *)

(** [below] is the number of F next below f. *)

Definition next_below (below f : Z) : bool :=
  (0 <? below) && (below <? f) && (f <=? top) && (rne 0 f =? f) &&
  (rne 1 (below + f - 1) =? below) && (rne 1 (below + f + 1) =? f) &&
  (Z.odd (below + f) || negb (rne 0 ((below + f) / 2) =? (below + f) / 2)).

Lemma format_integer : forall x, generic_format radix2 fexp x -> exists n, x = number n /\ rne 0 n = n.
Proof.
intros x F. assert (I : exists n, x = number n).
{ destruct (FLT_format_generic radix2 emin prec x F) as [[m e] X _ E]. simpl in E.
  exists (m * 2 ^ (e - emin)). rewrite number_bpow, mult_IZR, X. unfold F2R. simpl.
  replace (IZR (2 ^ (e - emin))) with (bpow radix2 (e - emin)) by (rewrite <- IZR_Zpower by lia; reflexivity).
  rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. lia. }
destruct I as [n ->]. exists n. split; [easy |].
apply number_inj. rewrite <- rne_correct by lia. unfold Semantics.nearest.
replace (0 - emin) with (- emin) by lia. fold (number n). apply round_generic; [apply valid_rnd_N | easy].
Qed.

Lemma next_below_correct : forall below f x,
  next_below below f = true -> generic_format radix2 fexp x -> (x < number f)%R -> (x <= number below)%R.
Proof.
intros below f x K F L. unfold next_below in K. repeat rewrite andb_true_iff in K.
destruct K as [[[[[[_ K1] _] _] K2] K3] K4].
apply Z.ltb_lt in K1. apply Z.eqb_eq in K2, K3.
destruct (format_integer x F) as [n [-> N]].
apply number_lt in L. apply number_le.
assert (M : forall a b, a <= b -> rne 1 a <= rne 1 b).
{ intros a b H. apply number_le. rewrite <- !rne_correct by lia. apply nearest_le. unfold Rdiv.
  apply Rmult_le_compat_r; [| now apply IZR_le]. apply Rlt_le, Rinv_0_lt_compat, power_positive. lia. }
assert (T : rne 1 (2 * n) = n).
{ rewrite <- N at 2. apply number_inj. rewrite <- !rne_correct by lia. f_equal.
  replace (1 - emin) with (1 + (0 - emin)) by lia. rewrite Z.pow_add_r, !mult_IZR by lia. change (2 ^ 1) with 2.
  assert (P := power_positive (0 - emin) ltac:(lia)). field. lra. }
destruct (Z.lt_trichotomy (2 * n) (below + f)) as [H | [H | H]].
- rewrite <- T, <- K2. apply M. lia.
- exfalso. assert (O : Z.odd (below + f) = false) by (rewrite <- H, Z.odd_mul; reflexivity).
  assert (Q : (below + f) / 2 = n) by (rewrite <- H, Z.mul_comm; apply Z.div_mul; lia).
  rewrite O, Q, N, Z.eqb_refl in K4. discriminate.
- exfalso. assert (f <= n); [| lia]. rewrite <- T, <- K3. apply M. lia.
Qed.

Section F_large.

Variables below f above_exp below_exp : Z.

(** exp(-f) is at most [above_exp], which rounds to 0; exp(-below) at least [below_exp], which does not. *)

Definition threshold_check : bool := next_below below f && (rne d above_exp =? 0) && (0 <? rne d below_exp).

Hypothesis above_exp_holds : (exp (- number f) <= IZR above_exp / IZR scale)%R.
Hypothesis below_exp_holds : (IZR below_exp / IZR scale <= exp (- number below))%R.

Lemma threshold_correct : threshold_check = true -> is_f_large prec emin largest (number f).
Proof.
intros K. unfold threshold_check in K. repeat rewrite andb_true_iff in K. destruct K as [[K K1] K2].
apply Z.eqb_eq in K1. apply Z.ltb_lt in K2.
assert (K' := K). unfold next_below in K'. repeat rewrite andb_true_iff in K'.
destruct K' as [[[[[[P Q] T] I] _] _] _]. apply Z.ltb_lt in P, Q. apply Z.leb_le in T. apply Z.eqb_eq in I.
assert (Positive : (0 < number f)%R) by (rewrite <- number_0; apply number_lt; lia).
repeat split.
- rewrite <- I, <- rne_correct by lia. apply generic_format_round; [apply FLT_exp_valid; exact prec_gt_0 | apply valid_rnd_N].
- rewrite number_abs. apply number_le. lia.
- easy.
- unfold vanishes. rewrite (rnd_within _ 0).
  + unfold within. destruct (Z.leb_spec (Z.abs 0) top); [| lia]. simpl. now rewrite number_0.
  + apply Rle_antisym.
    * rewrite <- K1, <- rne_correct, <- scale_correct by easy. now apply nearest_le.
    * rewrite number_0. replace 0%R with (nearest 0) by (apply round_0, valid_rnd_N). apply nearest_le, Rlt_le, exp_pos.
- intros x [X _] X0 V. apply Rnot_lt_le. intros L.
  assert (B := next_below_correct _ _ _ K X L).
  assert (E : (number (rne d below_exp) <= nearest (exp (- x)))%R).
  { rewrite <- rne_correct, <- scale_correct by easy. apply nearest_le. apply Rle_trans with (1 := below_exp_holds).
    destruct (Req_dec x (number below)) as [-> | D]; [lra |]. apply Rlt_le, exp_increasing. lra. }
  apply number_lt in K2. rewrite number_0 in K2.
  unfold vanishes, Semantics.rnd in V. destruct (Rle_dec _ _) in V; [| discriminate]. injection V as V. lra.
Qed.

End F_large.

(** ** The head *)

Section Head.

Variables g C : R.
Variable k : Z.
Hypothesis k_positive : 1 <= k.

Notation c := (Semantics.c prec emin largest g).
Notation s := (Semantics.s prec emin largest g).
Notation score := (Semantics.score prec emin largest g C k).

(** The realized blocks from position 0 on, and the bias. *)

Record turn := { position : Z; cosine : enclosed; sine : enclosed }.

Definition turn_holds (t : turn) : Prop :=
  holds (cosine t) (cos (g * IZR (position t))) /\ holds (sine t) (sin (g * IZR (position t))).

Fixpoint turns_hold (l : list turn) : Prop :=
  match l with [] => True | t :: rest => turn_holds t /\ turns_hold rest end.

Variable turns : list turn.
Variable bias : turn.

Hypothesis all_turns_hold : turns_hold turns.
Hypothesis bias_holds : holds (cosine bias) (C * cos (g * IZR k)) /\ holds (sine bias) (- (C * sin (g * IZR k))).

Definition block := (option Z * option Z)%type.

Definition block_of (t : turn) : block := (within (rounded (cosine t)), within (rounded (sine t))).

Definition turn_consistent (t : turn) : bool := consistent (cosine t) && consistent (sine t).

Fixpoint positions_from (i : Z) (l : list turn) : bool :=
  match l with [] => true | t :: rest => (position t =? i) && positions_from (i + 1) rest end.

Definition blocks : list block := map block_of turns.

Definition query (b : block) : block :=
  let (b0, b1) := block_of bias in
  (sub (mul (fst b) b0) (mul (snd b) b1), add (mul (snd b) b0) (mul (fst b) b1)).

Definition product (q key : block) : option Z := add (mul (fst q) (fst key)) (mul (snd q) (snd key)).

(** Whether the target's score is at least f above the other one. *)

Definition gap_ok (f : Z) (target other : option Z) : bool :=
  match target, other with Some t, Some u => f <=? t - u | _, _ => false end.

(** The list is an argument, so that it is computed once and not for every pair. *)

Definition block_at (l : list block) (i : nat) : block := nth i l (None, None).

Definition offset : nat := Z.to_nat k.

Definition row_ok (l : list block) (f : Z) (i : nat) : bool :=
  let q := query (block_at l i) in
  let target := product q (block_at l (i - offset)) in
  forallb (fun j => Nat.eqb j (i - offset) || gap_ok f target (product q (block_at l j))) (seq 0 i).

Definition pair_fails (l : list block) (f : Z) (i j : nat) : bool :=
  let q := query (block_at l i) in
  negb (gap_ok f (product q (block_at l (i - offset))) (product q (block_at l j))).

Lemma turn_at : forall l i n t, turns_hold l -> positions_from i l = true -> (n < length l)%nat ->
  let x := (g * IZR (i + Z.of_nat n))%R in
  holds (cosine (nth n l t)) (cos x) /\ holds (sine (nth n l t)) (sin x).
Proof.
induction l as [| u l IH]; intros i n t H K L; [simpl in L; lia |].
destruct H as [H R]. apply andb_prop in K. destruct K as [K K']. apply Z.eqb_eq in K.
destruct n as [| n].
- simpl. now rewrite Z.add_0_r, <- K.
- simpl nth. replace (i + Z.of_nat (S n)) with (i + 1 + Z.of_nat n) by lia. apply IH; try easy. simpl in L. lia.
Qed.

Hypothesis turns_consistent : forallb turn_consistent (bias :: turns) && positions_from 0 turns = true.

Lemma consistent_in : forall t, In t (bias :: turns) -> turn_consistent t = true.
Proof. apply forallb_forall. now apply andb_prop in turns_consistent. Qed.

Lemma block_correct : forall n, (n < length turns)%nat ->
  c (Z.of_nat n) = value (fst (block_at blocks n)) /\ s (Z.of_nat n) = value (snd (block_at blocks n)).
Proof.
intros n L.
assert (H := turn_at turns 0 n bias all_turns_hold (proj2 (andb_prop _ _ turns_consistent)) L).
rewrite Z.add_0_l in H.
assert (K : turn_consistent (nth n turns bias) = true) by (apply consistent_in; right; now apply nth_In).
apply andb_prop in K. destruct H as [H0 H1], K as [K0 K1].
unfold block_at, blocks. rewrite nth_indep with (d' := block_of bias) by now rewrite map_length.
rewrite map_nth. split; [exact (holds_rnd _ _ K0 H0) | exact (holds_rnd _ _ K1 H1)].
Qed.

Lemma score_correct : forall i j, (i < length turns)%nat -> (j < length turns)%nat ->
  score (Z.of_nat i) (Z.of_nat j) = value (product (query (block_at blocks i)) (block_at blocks j)).
Proof.
intros i j I J. destruct (block_correct i I) as [Ci Si]. destruct (block_correct j J) as [Cj Sj].
assert (K : turn_consistent bias = true) by (apply consistent_in; now left).
apply andb_prop in K. destruct K as [K0 K1]. destruct bias_holds as [H0 H1].
assert (B0 : b0 prec emin largest g C k = value (fst (block_of bias))) by now apply holds_rnd.
assert (B1 : b1 prec emin largest g C k = value (snd (block_of bias))) by now apply holds_rnd.
unfold Semantics.score, Semantics.q0, Semantics.q1, product, query. rewrite Ci, Si, Cj, Sj, B0, B1.
destruct (block_of bias) as [x y]. simpl fst. simpl snd.
now rewrite !mul_correct, sub_correct, add_correct, !mul_correct, add_correct.
Qed.

Notation gap_holds := (Semantics.gap_holds prec emin largest g C k).

Lemma gap_correct : forall f i j, (offset <= i)%nat -> (i < length turns)%nat -> (j < length turns)%nat ->
  let q := query (block_at blocks i) in
  gap_holds (number f) (Z.of_nat i) (Z.of_nat j) <->
  gap_ok f (product q (block_at blocks (i - offset))) (product q (block_at blocks j)) = true.
Proof.
intros f i j O I J q. unfold Semantics.gap_holds.
replace (Z.of_nat i - k) with (Z.of_nat (i - offset)) by (unfold offset in *; lia).
rewrite !score_correct by lia. fold q.
destruct (product q (block_at blocks (i - offset))) as [t |], (product q (block_at blocks j)) as [u |]; simpl;
  (split; [intros (x & y & X & Y & L); try discriminate | intros L; try discriminate]).
- injection X as <-. injection Y as <-. rewrite <- number_minus in L. apply number_le in L. now apply Z.leb_le.
- exists (number t), (number u). repeat split. rewrite <- number_minus. apply number_le. now apply Z.leb_le.
Qed.

(** ** The whole claim *)

Definition range_check (f : Z) (N : Z) (witness : nat) : bool :=
  let last := Z.to_nat (N + 2) in
  let l := blocks in
  (k - 1 <=? N) && Nat.eqb (length turns) (S last) &&
  forallb (row_ok l f) (seq (S offset) (last - S offset)) &&
  (Nat.ltb witness last && negb (Nat.eqb witness (last - offset)) && pair_fails l f last witness).

Lemma range_correct : forall f N witness, range_check f N witness = true ->
  selects prec emin largest g C k (number f) N /\
  forall L, selects prec emin largest g C k (number f) L -> L <= N.
Proof.
intros f N witness K. unfold range_check in K. repeat rewrite andb_true_iff in K.
destruct K as [[[K1 K2] K3] [[K4 K5] K6]].
apply Z.leb_le in K1. apply Nat.eqb_eq in K2. apply Nat.ltb_lt in K4. apply negb_true_iff, Nat.eqb_neq in K5.
set (last := Z.to_nat (N + 2)) in *. split.
- intros i j I J D. assert (R : row_ok blocks f (Z.to_nat i) = true).
  { apply (proj1 (forallb_forall _ _) K3). apply in_seq. unfold offset, last. lia. }
  assert (G := proj1 (forallb_forall _ _) R (Z.to_nat j)).
  rewrite <- (Z2Nat.id i), <- (Z2Nat.id j) by lia. apply gap_correct.
  1-3: unfold offset, last in *; lia.
  apply orb_prop in G; [| apply in_seq; lia]. destruct G as [G | G]; [| easy].
  apply Nat.eqb_eq in G. unfold offset in G. lia.
- intros L S. apply Z.nlt_ge. intros M.
  assert (G := S (Z.of_nat last) (Z.of_nat witness)). apply gap_correct in G.
  + unfold pair_fails in K6. rewrite G in K6. discriminate.
  + unfold offset, last. lia.
  + lia.
  + lia.
  + unfold last. lia.
  + lia.
  + unfold offset, last in *. lia.
Qed.

(** What is computed: that every enclosure rounds to the integer that it says, that [f] is f_large, and the range. *)

Definition check (below f above_exp below_exp N : Z) (witness : nat) : bool :=
  forallb turn_consistent (bias :: turns) && positions_from 0 turns &&
  threshold_check below f above_exp below_exp && range_check f N witness.

End Head.

Theorem sound : forall (g C : R) (k : Z) (turns : list turn) (bias : turn) below f above_exp below_exp N witness,
  1 <= k ->
  turns_hold g turns ->
  holds (cosine bias) (C * cos (g * IZR k)) /\ holds (sine bias) (- (C * sin (g * IZR k))) ->
  (exp (- number f) <= IZR above_exp / IZR scale)%R ->
  (IZR below_exp / IZR scale <= exp (- number below))%R ->
  check k turns bias below f above_exp below_exp N witness = true ->
  n_max_is prec emin largest g C k N.
Proof.
intros g C k turns bias below f above_exp below_exp N witness Hk Ht Hb Ha He K.
unfold check in K. repeat rewrite andb_true_iff in K. destruct K as [[[K1 K2] K3] K4].
assert (K5 := andb_true_intro (conj K1 K2)).
exists (number f). split; [| split].
- now apply threshold_correct with (below := below) (above_exp := above_exp) (below_exp := below_exp).
- now apply range_correct with (g := g) (C := C) (turns := turns) (bias := bias) (witness := witness).
- now apply range_correct with (g := g) (C := C) (turns := turns) (bias := bias) (f := f) (witness := witness).
Qed.

End Machine.
