import { askDocument, openServer } from '#/cli/api-client/ask-server.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Role } from '#/core/access/role.ts'
import { isTokenName, TOKEN_NAME_FORM } from '#/core/access/token.ts'
import { printTokenLine } from '#/core/access/tokens-file.ts'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'
import { textAt } from '#/core/basics/fields.ts'
import { digestOf, mintToken } from '#/server/access/token-text.ts'
import type { createFlags } from './command.ts'

type Context = CommandContext<typeof createFlags>
type Wish = { readonly name: string; readonly role: Role; readonly expiresAt: number | null }

export async function run(context: Context): Promise<ExitCode> {
  const { flags, terminal } = context
  const wish = readWish(context)
  const made = flags.offline ? makeOffline(wish) : await makeStored(context, wish)
  const { token, line } = made
  const data = { ...wish, token, ...(line === null ? {} : { line }) }
  // Only the token goes to stdout, so that it can be redirected into a file.
  await printOutput(terminal, flags.output, { data, sections: [{ text: token }] })
  const until = wish.expiresAt === null ? 'never expires' : `expires ${new Date(wish.expiresAt).toISOString()}`
  terminal.notice(`The token ${wish.name} has the role ${wish.role} and ${until}. It is not shown again.`)
  if (line !== null) terminal.notice(`Add this line to the file of api.tokensFile:\n${line}`)
  return EXIT.ok
}

function readWish({ args, flags, clock }: Context): Wish {
  const [name = ''] = args
  if (!isTokenName(name)) {
    throw new CommandFailure(EXIT.usage, printable(`${name} cannot be the name of a token`), [`use ${TOKEN_NAME_FORM}`])
  }
  return { name, role: flags.role, expiresAt: readExpiry(flags.expires, clock.now()) }
}

function readExpiry(text: string, now: number): number | null {
  if (text === 'never') return null
  const ms = parseDuration(text)
  if (ms !== null && ms > 0 && Number.isSafeInteger(now + ms)) return now + ms
  throw new CommandFailure(EXIT.usage, printable(`--expires: ${text} is not a time`), [
    `use ${DURATION_FORM}, or never`,
  ])
}

type Made = { readonly token: string; readonly line: string | null }

function makeOffline(wish: Wish): Made {
  const token = mintToken()
  return { token, line: printTokenLine({ ...wish, digest: digestOf(token) }) }
}

async function makeStored(context: Context, wish: Wish): Promise<Made> {
  await using server = await openServer(context)
  const created = await askDocument(server, { path: '/v1/tokens', method: 'POST', body: wish })
  const token = textAt(created, 'token')
  if (token === null) throw new CommandFailure(EXIT.blind, `${server.url} answered without a token`)
  return { token, line: null }
}
