export type Wakeups = {
  /** "Look again" about a scope, from any replica. Delivery is not promised; a loop must look on its own too. */
  readonly listen: (onWake: (scope: string) => void) => Promise<{ readonly stop: () => Promise<void> }>
}
