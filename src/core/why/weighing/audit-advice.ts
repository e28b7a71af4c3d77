/** Every cause that lacks an actor gives the same advice, so that a list of advice has it once. */
export const AUDIT_ADVICE =
  'The audit log names who did it: enable it for deletes and evictions of pods, or connect it if it is on (docs/evidence.md, docs/install.md).'
