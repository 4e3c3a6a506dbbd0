;; Copies text as it stands inside of a JSON string: a backslash before every quote and backslash. Eight bytes at a time,
;; without a branch for what they are: which of them are to be escaped is a number from 0 to 255, and for each there is a
;; row of sixteen bytes that says where the bytes go, and where the backslashes.
(module
  (memory (export "memory") 13)

  ;; Reads $length bytes from 0 on, writes from $to on, and says where the copy ends. 0 as soon as a
  ;; byte below 0x20 is among them, which a backslash alone does not escape. Writes over eight bytes behind what it reads,
  ;; and up to sixteen behind its copy.
  (func (export "escape") (param $length i32) (param $to i32) (param $rows i32) (result i32)
    (local $from i32)
    (local $marks i32)
    (local $eight v128)

    ;; What is read behind the end is blank, and counts for nothing.
    (i64.store (local.get $length) (i64.const 0x2020202020202020))
    (loop $next
      ;; The upper half of the register holds the backslashes that a row may take.
      (local.set $eight
        (v128.load64_lane 0 (local.get $from) (v128.const i64x2 0 0x5c5c5c5c5c5c5c5c)))
      (if
        (v128.any_true
          (i8x16.lt_u (local.get $eight) (v128.const i64x2 0x2020202020202020 0x2020202020202020)))
        (then (return (i32.const 0))))
      (local.set $marks
        (i32.and
          (i32.const 0xff)
          (i8x16.bitmask
            (v128.or
              (i8x16.eq (local.get $eight) (v128.const i64x2 0x2222222222222222 0x2222222222222222))
              (i8x16.eq (local.get $eight) (v128.const i64x2 0x5c5c5c5c5c5c5c5c 0x5c5c5c5c5c5c5c5c))))))
      (v128.store
        (local.get $to)
        (i8x16.swizzle
          (local.get $eight)
          (v128.load (i32.add (local.get $rows) (i32.shl (local.get $marks) (i32.const 4))))))
      (local.set $to
        (i32.add (local.get $to) (i32.add (i32.const 8) (i32.popcnt (local.get $marks)))))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $length))))

    (i32.sub (local.get $to) (i32.sub (local.get $from) (local.get $length)))))
