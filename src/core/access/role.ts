/** What a caller of the API may do, the least first. Each role includes those before it. */
export const ROLES = ['read', 'operate'] as const
export type Role = (typeof ROLES)[number]

export function allows(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(needed)
}
