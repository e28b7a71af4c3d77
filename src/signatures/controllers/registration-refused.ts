import type { Signature } from '#/core/evidence/signature.ts'

export const registrationRefused: Signature = {
  id: 'registration-refused',
  says: 'GitHub refused to register a runner.',
  patterns: [
    {
      streams: ['controller-log', 'runner-log', 'job-log'],
      regex:
        /^(?!.*rate limit).*?(?:registration[- ]token|remove-token|jit-?config|JIT config|access[_ ]tokens?\b|runner-registration|message session|createSession|RunnerScaleSet\b).{0,300}?(?:\(|status:? ?(?:code:? ?)?|HTTP(?:\/[\d.]+)? |returned error: |: )(?<status>40[134])\b/i,
      literals: [
        'registration-token',
        'registration token',
        'remove-token',
        'jitconfig',
        'jit-config',
        'JIT config',
        'access_token',
        'access token',
        'runner-registration',
        'message session',
        'createSession',
        'RunnerScaleSet',
      ],
      strength: 'decisive',
      caution: 'A spent API budget is also answered with 403: then the line or the one after it names the rate limit.',
      examples: {
        matches: [
          'failed to get runner registration token (401 Unauthorized): Bad credentials',
          'failed to get access token for GitHub App auth (404 Not Found): Integration not found',
          'Failed to generate JIT config, attempt 3/3 error="POST https://api.github.com/repos/acme/app/actions/runners/generate-jitconfig: 403 Resource not accessible by integration"',
          'failed to create actions message session client: github api error: StatusCode 401, RequestID "A1:B2": Bad credentials',
          'curl: (22) POST https://api.github.com/orgs/acme/actions/runners/registration-token The requested URL returned error: 404',
        ],
        rejects: [
          'failed to get runner registration token (403 Forbidden): API rate limit exceeded for user ID 12345',
          'Created ephemeral runner JIT config {"runnerId": 4034}',
        ],
      },
    },
    {
      streams: ['controller-log', 'runner-log', 'job-log'],
      regex:
        /unable to register runner after \d+ retries|Resource not accessible by (?:integration|personal access token)|Bad credentials|has an IP allow list enabled|Integration (?:not found|must generate a public key)|installation has been suspended|Must have admin rights/i,
      literals: [
        'unable to register runner after ',
        'Resource not accessible by ',
        'Bad credentials',
        'has an IP allow list enabled',
        'Integration not found',
        'must generate a public key',
        'installation has been suspended',
        'Must have admin rights',
      ],
      strength: 'decisive',
      caution: 'A job can print it too: it counts only for a runner that never had one.',
      examples: {
        matches: [
          '{"message":"Resource not accessible by integration","documentation_url":"https://docs.github.com/rest"}',
          'Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.',
        ],
        rejects: ['{"message":"Not Found","documentation_url":"https://docs.github.com/rest"}'],
      },
    },
    {
      streams: ['runner-log', 'job-log'],
      regex:
        /Http response code: (?<status>Unauthorized|Forbidden|NotFound) from 'POST \S{1,200}\/(?:runner-registration|actions\/runners\/registration-token|generate-jitconfig)|Response status code does not indicate success: (?<code>40[134])\b/,
      literals: ['Http response code: ', 'Response status code does not indicate success: '],
      strength: 'decisive',
      examples: {
        matches: [
          "Http response code: Forbidden from 'POST https://api.github.com/actions/runner-registration' (Request Id: 9C41:2E7F03:18D4B71:1A2C5E0:66BC9B0A)",
          'Response status code does not indicate success: 404 (Not Found).',
        ],
        rejects: ["Http response code: OK from 'POST https://api.github.com/actions/runner-registration'"],
      },
    },
    {
      streams: ['controller-log', 'runner-log'],
      regex:
        /(?:Registering|Verifying|Unregistering) runner\.{3} (?:failed|error|forbidden|is removed|is not valid|client error)\b.{0,300}?\bstatus=(?:"?POST \S{1,300} )?(?<gitlab>4(?:0[0134]|10|22)\b[^"]{0,60})|PANIC: Failed to (?:register|verify) (?:the|this) runner/,
      literals: ['ing runner... ', 'PANIC: Failed to '],
      strength: 'decisive',
      caution: 'GitLab answers 410 when registration tokens are switched off: the runner never was registered.',
      examples: {
        matches: [
          'ERROR: Registering runner... failed                 correlation_id=449F45976294BF56CC4DD8761B runner=GR1348941 status=410 Gone',
          'ERROR: Registering runner... forbidden (check registration token)  runner=x1 status=403 Forbidden',
          'PANIC: Failed to register the runner.',
        ],
        rejects: [
          'ERROR: Registering runner... failed                 runner=GR1348941 status=502 Bad Gateway',
          'Registering runner... succeeded                     runner=GR1348941',
        ],
      },
    },
  ],
}
