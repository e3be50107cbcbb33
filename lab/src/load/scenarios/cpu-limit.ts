import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A common CPU limit of several processes. */
export interface CpuLimit {
  /** The number of periods of 100 ms so far in which the processes reached the limit. */
  throttledPeriods(): number
  /** Removes the limit. */
  lift(): void
}

/** The same period as containers have. */
const periodUs = 100_000

/** Control groups of version 2, and of version 1 with a tree for each resource. */
const hierarchies = [
  {
    root: '/sys/fs/cgroup',
    marker: 'cgroup.controllers',
    prepare: (root: string) => writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu'),
    limitFiles: (quotaUs: number) => ({ 'cpu.max': `${quotaUs} ${periodUs}` }),
  },
  {
    root: '/sys/fs/cgroup/cpu',
    marker: 'cpu.cfs_quota_us',
    prepare: () => {},
    limitFiles: (quotaUs: number) => ({ 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': `${quotaUs}` }),
  },
]

/**
 * Limits processes to a number of cores with a control group, as containers do. Returns undefined
 * if that is not allowed; it needs Linux and root. Source:
 * docs.kernel.org/admin-guide/cgroup-v2.html and docs.kernel.org/scheduler/sched-bwc.html.
 */
export function limitCpu(name: string, cores: number, pids: readonly number[]): CpuLimit | undefined {
  const hierarchy = hierarchies.find(({ root, marker }) => existsSync(join(root, marker)))
  if (!hierarchy) return undefined
  const { root, prepare, limitFiles } = hierarchy
  const group = join(root, `watchline-${process.pid}-${name}`)
  const lift = () => {
    for (const pid of pids) {
      try {
        writeFileSync(join(root, 'cgroup.procs'), String(pid))
      } catch {
        // The process has ended.
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
    for (const [file, value] of Object.entries(limitFiles(Math.round(cores * periodUs))))
      writeFileSync(join(group, file), value)
    for (const pid of pids) writeFileSync(join(group, 'cgroup.procs'), String(pid))
  } catch {
    lift()
    return undefined
  }
  return {
    throttledPeriods: () =>
      Number(/^nr_throttled (\d+)$/m.exec(readFileSync(join(group, 'cpu.stat'), 'utf8'))?.[1] ?? 0),
    lift,
  }
}
