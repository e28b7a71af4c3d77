import { createLog } from '#/adapters/log/create-log.ts'
import { tokenIn } from '#/adapters/files/token-file.ts'
import { runAgent } from '#/agent/run-agent.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { agentFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { ownPackage } from '#/adapters/files/own-package.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { isLoopback } from '#/server/access/local-only.ts'

type Context = CommandContext<typeof agentFlags>

const LARGEST_CA_BYTES = 1024 * 1024

export async function run({ flags, terminal, clock, signal, config }: Context): Promise<ExitCode> {
  const server = readServer(flags.server)
  const node = readNode(flags.node)
  await checkFiles(flags)
  const { log } = (await config()).config
  const { version } = ownPackage()
  terminal.notice(`Signalbox ${version}, agent for node ${node}, connecting to ${server.origin}`)
  await runAgent(
    {
      server,
      node,
      tokenFile: flags['token-file'],
      caFile: flags['ca-file'] ?? null,
      userAgent: `signalbox-agent/${version}`,
      journal: {
        program: flags.journalctl,
        directory: flags['journal-directory'] ?? null,
        socket: flags['journal-socket'],
        kmsg: flags.kmsg,
      },
      cgroupRoot: flags['cgroup-root'],
      podLogs: flags['pod-logs'],
      state: flags.state ?? null,
      proc: '/proc',
      processes: flags.processes ? { redact } : null,
      clock,
      log: createLog({ ...log, clock, write: terminal.log, redact }),
    },
    signal,
  )
  terminal.notice('Stopped.')
  return EXIT.ok
}

/** The token is sent to this server, so it must be TLS or this machine. */
function readServer(text: string | undefined): URL {
  if (text === undefined) throw wrong('--server is required', 'use the address where signalbox serve listens')
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw wrong(`--server: ${text} is not a URL`, 'use https://HOST:PORT')
  }
  if (url.username !== '' || url.password !== '')
    throw wrong('--server: the URL must not contain credentials', 'remove the user and password')
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return url
  throw wrong(
    `--server: ${url.origin} is not this machine and not https: the token would be sent in plain text`,
    'use https://HOST:PORT, with --ca-file for the CA of its certificate',
  )
}

function readNode(text: string | undefined): string {
  if (text !== undefined && /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text)) return text
  throw wrong(
    text === undefined ? '--node is required' : `--node: ${text} is not a valid node name`,
    'see: kubectl get nodes',
  )
}

/** Fails at start if a file is wrong. Later changes of the files are picked up while it runs. */
async function checkFiles(flags: Context['flags']): Promise<void> {
  const token = await tokenIn(flags['token-file'])
  if ('fault' in token) throw wrong(`--token-file: ${token.fault}`, 'use the projected token of the service account')
  const caFile = flags['ca-file']
  if (caFile === undefined) return
  const read = await readSmallFile(caFile, LARGEST_CA_BYTES)
  if (read.kind === 'read' && read.text.includes('-----BEGIN CERTIFICATE-----')) return
  throw wrong(`--ca-file: ${caFile} contains no certificate`, 'use a PEM file')
}

function wrong(why: string, next: string): CommandFailure {
  return new CommandFailure(EXIT.usage, why, [next])
}
