/** Whose rate limit a credential uses up. GitHub counts a person's requests together, whichever token they come from. */
export type BudgetOwner = 'person' | 'installation' | 'workflow' | 'unknown'

const OWNER_WORDS: Readonly<Record<BudgetOwner, string>> = {
  person: "a person's",
  installation: "a GitHub App installation's",
  workflow: "a workflow token's",
  unknown: "a person's or an App installation's: the credential that read it is not recorded",
}

export function describeOwner(owner: BudgetOwner): string {
  return OWNER_WORDS[owner]
}

/** GitHub's prefixes of tokens. An installation's token that is given by hand mostly comes from a workflow. */
export function tokenOwner(token: string): BudgetOwner {
  if (/^(?:ghp_|github_pat_|gho_|ghu_)/.test(token)) return 'person'
  return token.startsWith('ghs_') ? 'workflow' : 'unknown'
}

/** What `collect` notes next to the rate limit that it read. */
export function ownerRemark(owner: BudgetOwner): string | null {
  return owner === 'unknown' ? null : `read with ${OWNER_WORDS[owner]} credential`
}

/** The same from a bundle; a person may have written it. */
export function parseOwnerRemark(remark: string | null): BudgetOwner {
  if (remark === null) return 'unknown'
  if (/\bworkflow\b|GITHUB_TOKEN/i.test(remark)) return 'workflow'
  if (/\binstallation\b|\bGitHub App\b/i.test(remark)) return 'installation'
  return /\b(?:person|personal|user|PAT|human|engineer|operator)\b/i.test(remark) ? 'person' : 'unknown'
}

/** The message of an exhausted limit names who used it up. */
export function parseLimitedOwner(line: string): BudgetOwner {
  if (/rate limit exceeded for installation\b/i.test(line)) return 'installation'
  return /rate limit exceeded for user\b/i.test(line) ? 'person' : 'unknown'
}

const WORKFLOW_LIMIT = 1_000
const LIMITS_OF_BOTH: ReadonlySet<number> = new Set([5_000, 15_000])
const MOST_OF_AN_INSTALLATION = 12_500

/** Only some limits belong to one kind of credential: an installation's grows with its repositories and users. */
export function parseLimitOwner(limit: number): BudgetOwner {
  if (limit === WORKFLOW_LIMIT) return 'workflow'
  return limit > 5_000 && limit <= MOST_OF_AN_INSTALLATION && !LIMITS_OF_BOTH.has(limit) ? 'installation' : 'unknown'
}
