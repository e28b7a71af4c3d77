import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'
import { APP_SCOPES, PURPOSES } from '#/core/github/app-manifest.ts'

export const setupFlags = {
  output: outputFlag(['text', 'json', 'yaml']),
  for: {
    kind: 'option',
    value: 'PURPOSE',
    choices: PURPOSES,
    default: 'observe',
    summary: 'observe reads jobs and runners; dispatch also registers runners for pools of your own',
  },
  scope: {
    kind: 'option',
    value: 'SCOPE',
    choices: APP_SCOPES,
    default: 'repository',
    summary: 'Where runners are registered: decides which permission the App asks for',
  },
  organization: {
    kind: 'option',
    value: 'ORG',
    summary: 'The organisation that will own the App; default: your own account',
  },
  name: { kind: 'option', value: 'NAME', summary: 'The name of the App, unique on GitHub; can be changed on its page' },
  'webhook-url': {
    kind: 'option',
    value: 'URL',
    summary: 'Where GitHub reaches signalbox serve, for example https://HOST/webhooks/github; dispatch requires it',
  },
  reruns: { kind: 'switch', summary: 'Also ask for actions: write, to rerun jobs' },
  'check-runs': { kind: 'switch', summary: 'Also ask for checks: write, to show verdicts on commits' },
  'github-url': {
    kind: 'option',
    value: 'URL',
    summary: 'The site of a GitHub Enterprise Server: https://HOST; default: the one of github.baseUrl',
  },
  out: {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'Store private key and webhook secret as files (0600) in this folder',
    excludes: ['secret'],
  },
  secret: {
    kind: 'option',
    value: 'NAMESPACE/NAME',
    summary: 'Store them as this Secret, with the rights of your kubeconfig',
  },
  force: { kind: 'switch', summary: 'Replace files or a Secret that exist' },
  browser: { kind: 'switch', default: true, summary: 'Print the address, and open no browser' },
} as const

const setup: Leaf<typeof setupFlags> = {
  kind: 'leaf',
  name: 'setup',
  summary: 'Create a GitHub App with the least permissions, and store its key',
  description:
    'Shows a page on 127.0.0.1 that sends you to GitHub, where you confirm the App. GitHub sends the browser back, signalbox fetches the private key and the webhook secret once, stores them (--out or --secret, one is required), and prints what to configure and where to install the App. Neither is ever printed. An App that exists, a token instead of an App, GitHub Enterprise, and a machine without a browser: docs/github-app.md.',
  examples: [
    { line: 'signalbox github setup --organization acme --out github-app', what: 'To observe: files' },
    {
      line: 'signalbox github setup --for dispatch --organization acme --webhook-url https://ci.example.com --secret signalbox/github-app',
      what: 'For pools of your own, with the chart',
    },
    {
      line: 'signalbox github setup --github-url https://github.example.com --out github-app --no-browser',
      what: 'GitHub Enterprise Server, on a machine without a browser',
    },
  ],
  flags: setupFlags,
  positionals: [],
  exitCodes: {
    0: 'The App exists, and its key is stored.',
    1: 'There is no App, or its key could not be stored; the message says which.',
    2: 'The command line is wrong, or the files or the Secret exist already; nothing was done.',
    3: 'GitHub or the cluster could not be reached.',
  },
  load: () => import('./setup.ts'),
}

export const github: Group = {
  kind: 'group',
  name: 'github',
  summary: 'The GitHub App of signalbox',
  description: 'How signalbox gets access to GitHub: docs/github-app.md.',
  commands: [setup],
}
