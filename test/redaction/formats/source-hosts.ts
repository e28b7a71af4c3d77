import { encode, encodeForUrl } from './format.ts'
import type { Format } from './format.ts'

const jit = (id: string, key: string): string =>
  encode(
    JSON.stringify({
      '.runner': encode(JSON.stringify({ agentId: 7, agentName: id, serverUrl: 'https://pipelines.example.com' })),
      '.credentials': encode(JSON.stringify({ scheme: 'OAuth', data: { clientId: id } })),
      '.credentials_rsaparams': encode(JSON.stringify({ d: key, modulus: key })),
    }),
  )

/** Hosts of source code, and what builds it. */
export const SOURCE_HOSTS: readonly Format[] = [
  { name: 'GitHub personal token (classic)', variable: 'GITHUB_TOKEN', build: (draw) => `ghp_${draw.alnum(36)}` },
  {
    name: 'GitHub personal token (fine-grained)',
    variable: 'GH_PAT',
    build: (draw) => `github_pat_11${draw.upper(20)}_${draw.alnum(59)}`,
  },
  { name: 'GitHub OAuth token', variable: 'GITHUB_TOKEN', build: (draw) => `gho_${draw.alnum(36)}` },
  { name: 'GitHub user token of an App', variable: 'GITHUB_TOKEN', build: (draw) => `ghu_${draw.alnum(36)}` },
  { name: 'GitHub installation token', variable: 'GITHUB_TOKEN', build: (draw) => `ghs_${draw.alnum(36)}` },
  { name: 'GitHub refresh token', variable: 'GITHUB_REFRESH_TOKEN', build: (draw) => `ghr_${draw.alnum(76)}` },
  {
    name: 'GitHub runner registration token',
    variable: 'RUNNER_TOKEN',
    build: (draw) => `A${draw.upper(28)}`,
    isShapeless: true,
  },
  { name: 'GitHub JIT configuration', variable: 'JITCONFIG', build: (draw) => jit(draw.lower(12), draw.alnum(240)) },
  { name: 'GitLab personal token', variable: 'GITLAB_TOKEN', build: (draw) => `glpat-${draw.url(20)}` },
  {
    name: 'GitLab routable token',
    variable: 'GITLAB_TOKEN',
    build: (draw) => `glpat-${draw.url(27)}.01.${draw.lower(9)}`,
  },
  { name: 'GitLab runner token', variable: 'CI_SERVER_TOKEN', build: (draw) => `glrt-t1_${draw.url(20)}` },
  { name: 'GitLab deploy token', variable: 'DEPLOY_TOKEN', build: (draw) => `gldt-${draw.url(20)}` },
  { name: 'GitLab CI job token', variable: 'CI_JOB_TOKEN', build: (draw) => `glcbt-64_${draw.url(20)}` },
  { name: 'GitLab trigger token', variable: 'TRIGGER_TOKEN', build: (draw) => `glptt-${draw.hex(40)}` },
  { name: 'GitLab feed token', variable: 'FEED_TOKEN', build: (draw) => `glft-${draw.url(20)}` },
  { name: 'GitLab agent token', variable: 'AGENT_TOKEN', build: (draw) => `glagent-${draw.url(50)}` },
  { name: 'GitLab SCIM token', variable: 'SCIM_TOKEN', build: (draw) => `glsoat-${draw.url(20)}` },
  { name: 'GitLab registration token', variable: 'REGISTRATION_TOKEN', build: (draw) => `GR1348941${draw.url(20)}` },
  { name: 'Bitbucket app password', variable: 'BITBUCKET_PASSWORD', build: (draw) => `ATBB${draw.alnum(32)}` },
  {
    name: 'Bitbucket repository token',
    variable: 'BITBUCKET_TOKEN',
    build: (draw) => `ATCTT3xFfG${draw.url(160)}=${draw.upper(8)}`,
  },
  {
    name: 'Azure DevOps token',
    variable: 'AZURE_DEVOPS_EXT_PAT',
    build: (draw) => `${draw.alnum(52)}JQQJ99${draw.upper(18)}AZDO${draw.alnum(4)}`,
  },
  {
    name: 'Azure DevOps token (old)',
    variable: 'SYSTEM_ACCESSTOKEN',
    build: (draw) => draw.lower(52),
    isShapeless: true,
  },
  { name: 'Gitea token', variable: 'GITEA_TOKEN', build: (draw) => draw.hex(40), isShapeless: true },
  { name: 'Sourcegraph token', variable: 'SRC_ACCESS_TOKEN', build: (draw) => `sgp_${draw.hex(16)}_${draw.hex(40)}` },
  { name: 'Buildkite token', variable: 'BUILDKITE_API_TOKEN', build: (draw) => `bkua_${draw.hex(40)}` },
  { name: 'CircleCI token', variable: 'CIRCLE_TOKEN', build: (draw) => `CCIPAT_${draw.alnum(22)}_${draw.hex(40)}` },
  { name: 'Jenkins token', variable: 'JENKINS_API_TOKEN', build: (draw) => `11${draw.hex(32)}`, isShapeless: true },
  { name: 'SonarQube token', variable: 'SONAR_TOKEN', build: (draw) => `sqp_${draw.hex(40)}` },
  { name: 'Codecov token', variable: 'CODECOV_TOKEN', build: (draw) => draw.uuid(), isShapeless: true },
  { name: 'Snyk token', variable: 'SNYK_TOKEN', build: (draw) => draw.uuid(), isShapeless: true },
  {
    name: 'Harness token',
    variable: 'HARNESS_API_KEY',
    build: (draw) => `pat.${draw.url(22)}.${draw.hex(24)}.${draw.alnum(20)}`,
  },
  {
    name: 'TeamCity token',
    variable: 'TEAMCITY_TOKEN',
    build: (draw) => `eyJ0eXAiOiAiVENWMiJ9.${draw.url(36)}.${encodeForUrl(draw.uuid())}`,
  },
]
