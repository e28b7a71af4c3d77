import { describe, expect, it } from 'vitest'
import { REFUSAL_MENTIONS, findRefusal } from './refusals.ts'

const POST =
  'failed to get runner registration token on refresh: failed to fetch access token: request POST https://api.github.com/app/installations/5/access_tokens failed'

describe('GitHub refuses a credential', () => {
  it.each([
    [
      `${POST}(status="403 Forbidden"): failed to get access token for GitHub App auth (403 Forbidden): : This installation has been suspended`,
      /suspended/,
    ],
    [
      `${POST}(status="401 Unauthorized"): failed to get access token for GitHub App auth (401 Unauthorized): : A JSON web token could not be decoded`,
      /private key/,
    ],
    [`${POST}: 401 Unauthorized: 'Expiration time' claim ('exp') is too far in the future`, /clock/],
    [
      `${POST}(status="404 Not Found"): failed to get access token for GitHub App auth (404 Not Found): : Integration not found`,
      /no such App/,
    ],
    [
      'failed to get runner registration token on refresh: github api error: StatusCode 401, RequestID "E3BE": {"message":"Bad credentials","status":"401"}',
      /401/,
    ],
    [
      'could not refresh installation id 1\'s token: received non 2xx response status "401 Unauthorized" when fetching https://api.github.com/app/installations/1/access_tokens',
      /401/,
    ],
    [
      'request POST https://ghes.example.com/api/v3/orgs/a/actions/runners/registration-token failed(status="401 Unauthorized")',
      /401/,
    ],
    [
      'failed to create registration token: POST https://api.github.com/orgs/a/actions/runners/registration-token: 403 Resource not accessible by integration []',
      /permission/,
    ],
    [
      'failed to get runner registration token (403 Forbidden): Resource protected by organization SAML enforcement.',
      /single sign-on/,
    ],
    ['failed to get runner registration token: the personal access token has expired', /has expired/],
  ])('%s', (line, why) => {
    expect(findRefusal(line)?.why).toMatch(why)
    // A line without a mention is never kept for the audit.
    expect(REFUSAL_MENTIONS.some((mention) => line.includes(mention))).toBe(true)
  })
})

describe('it does not refuse one by', () => {
  it.each([
    [
      'a rate limit',
      'failed to get runner registration token (403 Forbidden): : API rate limit exceeded for installation ID 7.',
    ],
    [
      'the message queue token, which expires in a healthy listener',
      'message queue token is expired during GetNextMessage, refreshing… "401 Unauthorized" https://api.github.com',
    ],
    [
      'the API server',
      'failed to list *v1.Pod: Unauthorized: the server has asked for the client to provide credentials (401 Unauthorized)',
    ],
    [
      'a registry',
      'failed to pull image: unexpected status from HEAD request to https://ghcr.io/v2/a: 401 Unauthorized',
    ],
  ])('%s', (_, line) => {
    expect(findRefusal(line)).toBeNull()
  })
})
