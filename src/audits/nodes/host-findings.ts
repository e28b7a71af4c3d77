import type { Question } from '#/core/audit/audit.ts'
import { blindFinding } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NodeRecord } from '#/core/kubernetes/node-record.ts'
import { holdsRoom } from '#/core/fleet/node-room.ts'
import { fileTable, mostCgroups, nodesByHost } from './host-tables.ts'

/** Findings from the kernel tables of each host with files. A runner host need not be a node. */
export function hostFindings(fleet: Fleet, question: Question): readonly Finding[] {
  const { hosts } = fleet.snapshot
  if (hosts.kind !== 'seen') return []
  const findNode = nodesByHost(fleet)
  return [...hosts.value].flatMap(([host, files]) => {
    const node = findNode(host)
    const name = node?.name ?? host
    const isAsked = question.nodes.length === 0 || question.nodes.includes(name)
    return isAsked ? judgeHost({ host, name, node }, files, fleet) : []
  })
}

function judgeHost(host: Host, files: Files, fleet: Fleet): readonly Finding[] {
  return [...cgroupLeaks(host, files, fleet), ...fullFileTables(host, files, fleet)]
}

type Host = { readonly host: string; readonly name: string; readonly node: NodeRecord | null }
type Files = ReadonlyMap<string, string>

function cgroupLeaks({ host, name, node }: Host, files: Files, fleet: Fleet): readonly Finding[] {
  const text = files.get('proc/cgroups')
  if (text === undefined) return []
  const most = mostCgroups(text)
  if (most === null) return [blindFinding(`host/${host}`, 'proc/cgroups has no count of control groups')]
  const pods = podsOn(name, node, fleet)
  if (pods === null) return []
  const { cgroupLeak, cgroupsPerPod } = fleet.thresholds
  const allowed = cgroupLeak + cgroupsPerPod * pods.number
  if (most.groups <= allowed) return []
  return [
    {
      class: 'cgroup-leak',
      severity: 'warning',
      subject: { kind: 'Node', name },
      evidence: [
        `host/${host}/proc/cgroups: ${most.groups} control groups of ${most.controller}`,
        `${pods.isUpperBound ? `it accepts at most ${pods.number} pods` : `${pods.number} pods run on it`}: ${cgroupsPerPod} each plus ${cgroupLeak} is ${allowed}`,
      ],
      hint: `find what leaks them on ${name} (systemd-cgls --all; directories kubepods-*.slice:cri-containerd:* belong to a runtime handler without SystemdCgroup = true in the containerd configuration); fix the handler, then kubectl cordon ${name} and reboot it after its jobs have finished: a full table blocks every new pod while the node stays Ready`,
      fields: { cgroups: most.groups, allowed, pods: pods.number },
    },
  ]
}

/** If pods could not be read, the node's maximum: an unknown number is not 0. */
function podsOn(
  name: string,
  node: NodeRecord | null,
  fleet: Fleet,
): { readonly number: number; readonly isUpperBound: boolean } | null {
  if (fleet.saw('kubernetes/pods')) return { number: fleet.podsOn(name).filter(holdsRoom).length, isUpperBound: false }
  const most = node?.allocatable.get('pods')
  return most === undefined ? null : { number: most, isUpperBound: true }
}

function fullFileTables({ host, name }: Host, files: Files, { thresholds }: Fleet): readonly Finding[] {
  const text = files.get('proc/sys/fs/file-nr')
  if (text === undefined) return []
  const table = fileTable(text, files.get('proc/sys/fs/file-max') ?? null)
  if (table === null) return [blindFinding(`host/${host}`, 'proc/sys/fs/file-nr does not contain three numbers')]
  const share = table.used / table.most
  if (share < thresholds.fileTable) return []
  return [
    {
      class: 'file-table-near-limit',
      severity: 'warning',
      subject: { kind: 'Node', name },
      evidence: [
        `host/${host}/proc/sys/fs/file-nr: ${table.used} of ${table.most} open files, ${Math.floor(share * 1000) / 10} %`,
      ],
      hint: `record what holds them on ${name} before you delete anything (lsof -n | awk '{print $1}' | sort | uniq -c | sort -n | tail); then raise fs.file-max there, or limit the concurrency of the jobs' package managers; more runners make it worse`,
      fields: { used: table.used, limit: table.most, share },
    },
  ]
}
