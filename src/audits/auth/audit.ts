import { RATE_LIMIT_MESSAGES } from './arc-complaints.ts'
import { budgetFindings, budgetRemark } from './budget-findings.ts'
import { complaintFindings } from './complaint-findings.ts'
import { listNeeds } from './needs.ts'
import { REFUSAL_MENTIONS } from './refusals.ts'
import { secretFindings } from './secret-findings.ts'
import type { Audit } from '#/core/audit/audit.ts'

export const auth: Audit = {
  id: 'auth',
  asks: 'will the credential last?',
  about:
    "Checks the Secret that each scale set names, in the set's own namespace, by its key names only; the rate limit that GitHub reports; and listener and controller logs in which GitHub refuses the credential or reports an exhausted rate limit. It says whose rate limit was read: a person's, an App installation's or a workflow token's. That of another credential than the fleet's is no finding, and no all-clear. Secrets kept in a vault are not checked.",
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', gives: 'which Secret each set names' },
    { source: 'kubernetes/secrets', weight: 'needed', gives: 'which keys a Secret has (never its values)' },
    { source: 'kubernetes/autoscalinglisteners', weight: 'useful', gives: 'which listener belongs to which set' },
    { source: 'kubernetes/pods', weight: 'useful', gives: "the listeners' pods" },
    { source: 'kubernetes/events', weight: 'useful', gives: 'whether a pod fails because of it' },
    {
      source: 'logs',
      weight: 'useful',
      gives: 'whether GitHub refuses the credential of listeners and the controller',
    },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', gives: 'which set a controller log line is about' },
    {
      source: 'kubernetes/ephemeralrunnersets',
      weight: 'useful',
      gives: 'which set a controller log line is about',
    },
    { source: 'github/rate-limit', weight: 'needed', gives: 'how many requests are left' },
  ],
  mentions: [...RATE_LIMIT_MESSAGES, ...REFUSAL_MENTIONS],
  classes: [
    {
      class: 'pat-credential',
      severity: 'warning',
      meaning: 'a set authenticates with a personal access token',
      next: 'Use a GitHub App: its rate limit is larger, it is not shared, and it does not depend on one person.',
    },
    {
      class: 'rate-budget-low',
      severity: 'warning',
      meaning: 'less than 10 % of the API rate limit is left',
      next: 'Find what uses it up, or give the fleet its own GitHub App.',
    },
    {
      class: 'rate-limited',
      severity: 'critical',
      meaning: 'the API rate limit is exhausted: listeners cannot get a token and lanes go offline',
      next: 'Waiting for the reset helps only once. Replace the credential with a GitHub App.',
    },
    {
      class: 'credential-refused',
      severity: 'critical',
      meaning:
        'GitHub refuses the credential: it expired, was revoked, its installation is suspended, or it lacks a permission',
      next: 'Read the quoted answer: it decides between a new credential, an end of the suspension, a permission, and the clock of the nodes.',
    },
    {
      class: 'credential-conflict',
      severity: 'warning',
      meaning: 'a Secret holds a token and App keys; ARC refuses both at once',
      next: 'Remove one of them from the Secret.',
    },
    {
      class: 'secret-missing',
      severity: 'warning',
      meaning: 'a set names a Secret that its namespace does not have, or that lacks a key',
      next: "Create it in the set's namespace, with all App keys.",
    },
  ],
  applies: ({ sets }) => sets.length > 0,
  examine: (fleet, question) => {
    const needs = listNeeds(fleet, question)
    return [
      ...secretFindings(fleet, needs),
      ...budgetFindings(fleet, needs),
      ...complaintFindings(fleet, question, needs),
    ]
  },
  remarks: (fleet, question) => {
    const remark = budgetRemark(fleet, listNeeds(fleet, question))
    return new Map(remark === null ? [] : [['github/rate-limit', remark]])
  },
}
