import { describeGitHubContract } from '#test/contracts/github.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'

const webhook = { url: 'http://signalbox.test', secret: 'hook', deliver: async () => ({ status: 200 }) }

describeGitHubContract('as the public service over HTTP', () => startGitHubWorld({ sim: { webhook } }))
describeGitHubContract('as an enterprise server over HTTP', () =>
  startGitHubWorld({ sim: { webhook, basePath: '/api/v3' } }),
)
