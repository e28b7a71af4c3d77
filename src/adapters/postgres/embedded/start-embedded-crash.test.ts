import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { ask } from '#test/postgres/ask.ts'
import { openFolder } from '#test/postgres/folders.ts'
import { startedServer, startOwner } from '#test/postgres/owner-process.ts'

const PATIENCE = { timeout: 60_000, interval: 50 }

/** In a checkout that PostgreSQL's user cannot enter, each start also names the copy that it runs from. */
function accidents(notices: readonly string[]): readonly string[] {
  return notices.filter((notice) => !notice.startsWith('PostgreSQL runs from a copy'))
}

/** A folder that is half made. Who looks may see it too late on a busy machine, and then tries again with another. */
async function killWhileMaking(): Promise<string> {
  for (;;) {
    const dataFolder = join(await openFolder(), 'data')
    const killed = startOwner({ dataFolder })
    await vi.waitFor(async () => {
      const names = await readdir(dataFolder)
      const partial = names.find((name) => name.startsWith('postgres.partial-'))
      if (!names.includes('postgres')) expect(await readdir(join(dataFolder, partial!, 'data'))).toContain('base')
    }, PATIENCE)
    process.kill(killed.pid, 'SIGKILL')
    await killed.exited
    if (!(await readdir(dataFolder)).includes('postgres')) return dataFolder
    // Ends the server that the killed one may have left.
    const next = startOwner({ dataFolder })
    await startedServer(next)
    process.kill(next.pid, 'SIGINT')
    await next.exited
  }
}

describe('the embedded PostgreSQL after an accident', { timeout: 300_000 }, () => {
  it('is started again, on the same socket and with everything committed, when it is killed', async () => {
    const owner = startOwner({ dataFolder: join(await openFolder(), 'data') })
    const server = await startedServer(owner)
    await ask(server.connectionString, 'create table kept (value integer)', 'insert into kept values (1)')
    process.kill(server.pid, 'SIGKILL')
    // What the owner writes comes to us by another way than what its server answers.
    await vi.waitFor(() => expect(accidents(owner.notices)).toHaveLength(1), PATIENCE)
    await vi.waitFor(async () => {
      expect(await ask(server.connectionString, 'select value from kept')).toEqual([{ value: 1 }])
    }, PATIENCE)
    expect(accidents(owner.notices)).toEqual([expect.stringContaining(`(pid ${server.pid}) ended unexpectedly`)])
  })

  it('loses nothing and runs once when its owner was killed and started again', async () => {
    const dataFolder = join(await openFolder(), 'data')
    const killed = startOwner({ dataFolder })
    const orphan = await startedServer(killed)
    await ask(orphan.connectionString, 'create table kept (value integer)', 'insert into kept values (1)')
    process.kill(killed.pid, 'SIGKILL')
    await killed.exited
    expect(await ask(orphan.connectionString, 'select value from kept')).toEqual([{ value: 1 }])
    const owner = startOwner({ dataFolder })
    const server = await startedServer(owner)
    expect(await ask(server.connectionString, 'select value from kept')).toEqual([{ value: 1 }])
    expect(server.pid).not.toBe(orphan.pid)
    expect(accidents(owner.notices)).toEqual([expect.stringContaining(`pid ${orphan.pid}`)])
  })

  it('loses nothing when its owner and the server were killed together', async () => {
    const dataFolder = join(await openFolder(), 'data')
    const killed = startOwner({ dataFolder })
    const first = await startedServer(killed)
    await ask(first.connectionString, 'create table kept (value integer)', 'insert into kept values (1)')
    process.kill(killed.pid, 'SIGKILL')
    process.kill(first.pid, 'SIGKILL')
    await killed.exited
    const server = await startedServer(startOwner({ dataFolder }))
    expect(await ask(server.connectionString, 'select value from kept')).toEqual([{ value: 1 }])
  })

  it('begins anew when its owner was killed while it made the data folder', async () => {
    const dataFolder = await killWhileMaking()
    const server = await startedServer(startOwner({ dataFolder }))
    expect(await ask(server.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('reports that its folder is gone, keeps its owner alive, and still stops', async () => {
    const dataFolder = join(await openFolder(), 'data')
    const owner = startOwner({ dataFolder })
    const server = await startedServer(owner)
    // The server may make a file while they are removed.
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 10 })
    process.kill(server.pid, 'SIGKILL')
    await vi.waitFor(() => {
      expect(owner.notices.join('\n')).toMatch(/did not start; .*no such file or directory/)
    }, PATIENCE)
    process.kill(owner.pid, 'SIGINT')
    await owner.exited
  })

  it('stops in good order on Ctrl-C, which the terminal sends to the whole process group', async () => {
    const owner = startOwner({ dataFolder: join(await openFolder(), 'data') })
    const server = await startedServer(owner)
    process.kill(-owner.pid, 'SIGINT')
    expect(await owner.exited).toEqual([0, null])
    await expect(ask(server.connectionString, 'select 1')).rejects.toThrow(/ENOENT|ECONNREFUSED/)
    expect(await readdir(join(server.location, 'data'))).not.toContain('postmaster.pid')
  })
})
