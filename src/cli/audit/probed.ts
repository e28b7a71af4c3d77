import type { AskedContext } from '#/cli/audit/asked-fleet.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { probeFleet } from '#/runtime/audit/probe.ts'

/** The fleet with the results of the probe pod. */
export async function probed({ config, clock, signal, terminal }: AskedContext, fleet: Fleet): Promise<Fleet> {
  const loaded = await config()
  await using kubernetes = openCluster(loaded.config, await readNetwork(loaded.config), clock)
  if (kubernetes === null) throw new CommandFailure(EXIT.blind, 'no cluster to probe', ['see: signalbox doctor'])
  const progress = terminal.progress('probing from inside')
  try {
    const probes = await probeFleet(kubernetes, fleet, { signal, clock, progress: progress.say })
    return readFleet({ ...fleet.snapshot, probes })
  } finally {
    progress.done()
  }
}
