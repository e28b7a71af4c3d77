import type { Leaf } from '#/cli/grammar/command.ts'
import { databaseUrlFlag } from '#/cli/grammar/shared-flags.ts'

export const serveFlags = {
  listen: {
    kind: 'option',
    value: 'HOST:PORT',
    summary: 'Where to listen; 127.0.0.1:8080 unless the configuration says otherwise',
    sets: { path: 'listen' },
  },
  'database-url': databaseUrlFlag,
} as const

export const serve: Leaf<typeof serveFlags> = {
  kind: 'leaf',
  name: 'serve',
  summary: 'The server: store, loops and HTTP',
  description:
    'Runs the server until it is stopped. Without a database server it starts its own PostgreSQL in the data folder, and stops it with itself.',
  examples: [
    { line: 'signalbox serve', what: 'On this machine alone' },
    {
      line: 'DATABASE_URL=postgres://signalbox@db/signalbox signalbox serve --listen 0.0.0.0:8080',
      what: 'As one of several replicas',
    },
  ],
  flags: serveFlags,
  positionals: [],
  exitCodes: { 0: 'It was stopped.', 1: 'It could not start, or could not go on.' },
  untilStopped: true,
  load: () => import('#/cli/serve.ts'),
}
