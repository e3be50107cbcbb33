import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Processes that together get no more than a share of the CPU. */
export interface CpuLimit {
  /** How many periods of 100 ms so far it was reached in. */
  reached(): number
  /** They get what they want again. */
  lift(): void
}

/** What containers are given. */
const periodUs = 100_000

/** Version 2 of control groups, and version 1 with its tree for each resource. */
const hierarchies = [
  {
    root: '/sys/fs/cgroup',
    sign: 'cgroup.controllers',
    prepare: (root: string) => writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu'),
    limit: (quotaUs: number) => ({ 'cpu.max': `${quotaUs} ${periodUs}` }),
  },
  {
    root: '/sys/fs/cgroup/cpu',
    sign: 'cpu.cfs_quota_us',
    prepare: () => {},
    limit: (quotaUs: number) => ({ 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': `${quotaUs}` }),
  },
]

/**
 * Limits processes to so many cores by a control group, which is what a container's limit is made of; undefined where that is not allowed (it
 * takes Linux and root). Source: docs.kernel.org/admin-guide/cgroup-v2.html and docs.kernel.org/scheduler/sched-bwc.html.
 */
export function limitCpu(name: string, cores: number, pids: readonly number[]): CpuLimit | undefined {
  const hierarchy = hierarchies.find(({ root, sign }) => existsSync(join(root, sign)))
  if (!hierarchy) return undefined
  const { root, prepare, limit } = hierarchy
  const group = join(root, `watchline-${process.pid}-${name}`)
  const lift = () => {
    for (const pid of pids) {
      try {
        writeFileSync(join(root, 'cgroup.procs'), String(pid))
      } catch {
        // It has ended.
      }
    }
    rmdirSync(group)
  }
  try {
    prepare(root)
    mkdirSync(group)
  } catch {
    return undefined
  }
  try {
    for (const [file, value] of Object.entries(limit(Math.round(cores * periodUs))))
      writeFileSync(join(group, file), value)
    for (const pid of pids) writeFileSync(join(group, 'cgroup.procs'), String(pid))
  } catch {
    lift()
    return undefined
  }
  return {
    reached: () => Number(/^nr_throttled (\d+)$/m.exec(readFileSync(join(group, 'cpu.stat'), 'utf8'))?.[1] ?? 0),
    lift,
  }
}
