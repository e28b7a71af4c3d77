import type { CredentialFormat } from './credential-format.ts'

const GITHUB = 'https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/'
const GITLAB = 'https://docs.gitlab.com/security/tokens/'

/** Hosts of source code, and services that build and check it. */
export const SOURCE_HOSTS: readonly CredentialFormat[] = [
  {
    name: 'GitHub token: classic, OAuth, App user, installation, refresh',
    kind: 'github-token',
    shapes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => `${prefix}[A-Za-z0-9]{16}[A-Za-z0-9_.-]{0,}`),
    source: GITHUB,
  },
  {
    name: 'GitHub fine-grained token',
    kind: 'github-token',
    shapes: ['github_pat_[A-Za-z0-9_]{16,}'],
    source: GITHUB,
  },
  {
    name: 'GitHub JIT configuration of a runner',
    kind: 'jit-config',
    shapes: ['eyIucnVubmVy[A-Za-z0-9+/_=-]{0,}', 'eyIuY3JlZGVudGlhbH[A-Za-z0-9+/_=-]{0,}'],
    source: 'https://docs.github.com/rest/actions/self-hosted-runners',
  },
  {
    name: 'GitLab token: personal, runner, deploy, job, trigger, feed, mail, agent, SCIM, OAuth, feature flags, workspace',
    kind: 'gitlab-token',
    shapes: ['pat', 'rt', 'rtr', 'cbt', 'dt', 'ptt', 'ft', 'imt', 'agent', 'soat', 'oas', 'ffct', 'wt'].map(
      (type) => `gl${type}-[A-Za-z0-9_-]{16}[A-Za-z0-9_.-]{0,}`,
    ),
    source: GITLAB,
  },
  {
    name: 'GitLab registration token',
    kind: 'gitlab-token',
    shapes: ['GR1348941[A-Za-z0-9_-]{16,}'],
    source: GITLAB,
  },
  {
    name: 'Bitbucket app password',
    shapes: ['ATBB[A-Za-z0-9]{24,}'],
    isWord: true,
    source: 'https://support.atlassian.com/bitbucket-cloud/docs/app-passwords/',
  },
  {
    name: 'Atlassian token: account, Bitbucket, organisation',
    shapes: ['ATATT3[A-Za-z0-9_=-]{30,}', 'ATCTT3[A-Za-z0-9_=-]{30,}', 'ATSTT3[A-Za-z0-9_=-]{30,}'],
    source: 'https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/',
  },
  {
    name: 'Azure DevOps token',
    shapes: ['[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}'],
    source:
      'https://learn.microsoft.com/azure/devops/organizations/accounts/use-personal-access-tokens-to-authenticate',
  },
  {
    name: 'Sourcegraph token',
    shapes: ['sgp_[A-Za-z0-9_]{40,}', 'slk_[a-f0-9]{64}'],
    source: 'https://sourcegraph.com/docs/cli/references/users/tokens',
  },
  {
    name: 'Buildkite token',
    shapes: ['bkua_[a-f0-9]{40}', 'bkct_[A-Za-z0-9_-]{20,}', 'bkaj_[A-Za-z0-9_.-]{20,}'],
    source: 'https://buildkite.com/docs/platform/security/tokens',
  },
  {
    name: 'CircleCI token',
    shapes: ['CCIPAT_[A-Za-z0-9_]{40,}', 'CCIPRJ_[A-Za-z0-9_]{40,}'],
    source: 'https://circleci.com/docs/managing-api-tokens/',
  },
  {
    name: 'SonarQube token',
    shapes: ['squ_[a-f0-9]{40}', 'sqp_[a-f0-9]{40}', 'sqa_[a-f0-9]{40}'],
    source: 'https://docs.sonarsource.com/sonarqube-server/user-guide/managing-tokens',
  },
  {
    name: 'Harness token',
    shapes: [
      String.raw`pat\.[A-Za-z0-9_-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}`,
      String.raw`sat\.[A-Za-z0-9_-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}`,
    ],
    source: 'https://developer.harness.io/docs/platform/automation/api/add-and-manage-api-keys',
  },
]
