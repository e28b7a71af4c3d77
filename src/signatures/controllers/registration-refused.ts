import type { Signature } from '#/core/evidence/signature.ts'

export const registrationRefused: Signature = {
  id: 'registration-refused',
  says: 'GitHub refused to register a runner.',
  patterns: [
    {
      streams: ['controller-log'],
      regex:
        /failed to get runner registration token \((?<status>40[134])[^)]{0,40}\)(?!: API rate limit)|failed to get access token for GitHub App auth \((?<appStatus>40[134])|unable to register runner after \d+ retries/,
      literals: [
        'failed to get runner registration token (',
        'failed to get access token for GitHub App auth (',
        'unable to register runner after ',
      ],
      strength: 'decisive',
      examples: {
        matches: [
          'failed to get runner registration token (401 Unauthorized): Bad credentials',
          'failed to get access token for GitHub App auth (404 Not Found): Integration not found',
        ],
        rejects: ['failed to get runner registration token (403 Forbidden): API rate limit exceeded for user ID 12345'],
      },
    },
    {
      streams: ['runner-log'],
      regex:
        /Http response code: (?<status>Unauthorized|Forbidden|NotFound) from 'POST \S{1,200}\/(?:runner-registration|actions\/runners\/registration-token|generate-jitconfig)/,
      literals: ['Http response code: '],
      strength: 'decisive',
      examples: {
        matches: [
          "Http response code: Forbidden from 'POST https://api.github.com/actions/runner-registration' (Request Id: 9C41:2E7F03:18D4B71:1A2C5E0:66BC9B0A)",
        ],
        rejects: ["Http response code: OK from 'POST https://api.github.com/actions/runner-registration'"],
      },
    },
  ],
}
