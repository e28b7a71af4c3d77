import { execFileSync } from 'node:child_process'
import { mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ask } from '#test/postgres/ask.ts'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { openFolder } from '#test/postgres/folders.ts'
import { startedServer, startOwner } from '#test/postgres/owner-process.ts'
import type { OwnerProcess } from '#test/postgres/owner-process.ts'

async function interrupt(owner: OwnerProcess): Promise<void> {
  process.kill(owner.pid, 'SIGINT')
  expect(await owner.exited).toEqual([0, null])
}

describe('the data folder of the embedded PostgreSQL', { timeout: 180_000 }, () => {
  it('can be copied while it is used: original and copy run side by side', async () => {
    const parent = await openFolder()
    const [original, copied] = [join(parent, 'a'), join(parent, 'b')]
    const first = startOwner({ dataFolder: original })
    const a = await startedServer(first)
    await ask(a.connectionString, 'create table kept (value integer)', 'insert into kept values (1)', 'checkpoint')
    execFileSync('cp', ['-a', original, copied])
    const second = startOwner({ dataFolder: copied })
    const b = await startedServer(second)
    expect(second.notices).toContainEqual(
      expect.stringContaining(`is a copy of the folder that PostgreSQL (pid ${a.pid})`),
    )
    expect(await ask(b.connectionString, 'insert into kept values (2)', 'select value from kept')).toHaveLength(2)
    expect(await ask(a.connectionString, 'select value from kept')).toEqual([{ value: 1 }])
    expect(process.kill(a.pid, 0)).toBe(true)
    await interrupt(second)
    expect(await ask(a.connectionString, 'select value from kept')).toEqual([{ value: 1 }])
    await interrupt(first)
  })

  it('is found again after it was moved while a killed signalbox had left its server running', async () => {
    const parent = await openFolder()
    const killed = startOwner({ dataFolder: join(parent, 'a') })
    const orphan = await startedServer(killed)
    await ask(orphan.connectionString, 'create table kept (value integer)', 'insert into kept values (1)')
    process.kill(killed.pid, 'SIGKILL')
    await killed.exited
    await rename(join(parent, 'a'), join(parent, 'b'))
    const owner = startOwner({ dataFolder: join(parent, 'b') })
    const server = await startedServer(owner)
    expect(owner.notices).toContainEqual(expect.stringContaining(`stopping the PostgreSQL (pid ${orphan.pid})`))
    expect(await ask(server.connectionString, 'select value from kept')).toEqual([{ value: 1 }])
  })

  it('is one folder through every path that leads to it', async () => {
    const parent = await openFolder()
    const dataFolder = join(parent, 'a')
    const owner = startOwner({ dataFolder })
    const server = await startedServer(owner)
    await symlink(dataFolder, join(parent, 'link'))
    await mkdir(join(parent, 'b'))
    await symlink(join(dataFolder, 'postgres'), join(parent, 'b', 'postgres'))
    for (const path of [join(parent, 'link'), join(parent, 'b')]) {
      const refused = expectRefusal(await startOwner({ dataFolder: path }).outcome)
      expect(refused.why).toContain(`another signalbox (pid ${owner.pid}) is using`)
    }
    expect(await ask(server.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
    await interrupt(owner)
    const linked = await startedServer(startOwner({ dataFolder: join(parent, 'link') }))
    expect(linked.location).toBe(server.location)
  })
})
