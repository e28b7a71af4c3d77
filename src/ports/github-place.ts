export type Waiting = { readonly signal?: AbortSignal }

/** Where a runner is registered. GitHub gives it jobs of that organisation or of that one repository. */
export type Registration =
  | { readonly kind: 'organization'; readonly organization: string }
  | { readonly kind: 'repository'; readonly repository: string }
