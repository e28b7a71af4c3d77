import { expect, test } from 'vitest'
import { leftBehind } from './left-behind.ts'

const PLACE = { temporaryFolder: '/tmp', checkout: '/checkout' }
const NOTHING = { processes: [], mounts: [], cgroups: [], temporary: [], addresses: [] }

test('names each process, mount, cgroup, folder and address of the tests', () => {
  const remains = {
    processes: [
      { pid: 7, commandLine: ['/usr/bin/etcd', '--data-dir=/tmp/signalbox-cluster-1/etcd', ''] },
      { pid: 8, commandLine: ['node', '/checkout/test/cluster/guardian.ts'] },
    ],
    mounts: ['/tmp/signalbox-cluster-1/kubelet/pods/x'],
    cgroups: ['/sys/fs/cgroup/memory/signalbox-cluster-1'],
    temporary: ['signalbox-collect-x'],
    addresses: ['198.18.0.1'],
  }
  expect(leftBehind(remains, PLACE)).toEqual([
    'process 7: /usr/bin/etcd --data-dir=/tmp/signalbox-cluster-1/etcd',
    'process 8: node /checkout/test/cluster/guardian.ts',
    'mount /tmp/signalbox-cluster-1/kubelet/pods/x',
    'cgroup /sys/fs/cgroup/memory/signalbox-cluster-1',
    'folder /tmp/signalbox-collect-x',
    'address 198.18.0.1',
  ])
})

test('ignores what does not belong to the tests', () => {
  const remains = {
    ...NOTHING,
    processes: [
      { pid: 1, commandLine: ['/usr/bin/etcd', '--data-dir=/var/lib/etcd'] },
      { pid: 2, commandLine: ['node', '/elsewhere/test/cluster/guardian.ts'] },
    ],
    mounts: ['/tmp', '/proc'],
    cgroups: ['/sys/fs/cgroup/memory/kubepods'],
    temporary: ['node-compile-cache'],
    addresses: ['127.0.0.1', '10.0.0.7'],
  }
  expect(leftBehind(remains, PLACE)).toEqual([])
})
