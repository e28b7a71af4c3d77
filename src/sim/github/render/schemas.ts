import type { components } from '@octokit/openapi-types'

/** The shape of a response body in GitHub's own description. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
