import { readdirSync, readFileSync } from 'node:fs'
import type mongoose from 'mongoose'

export interface RunningProcess {
  pid: number
  parentPid: number
  /** The kernel's name of the command, without its path. */
  name: string
}

/** All processes of this machine, from /proc. Linux only. */
export function listProcesses(): RunningProcess[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.map(Number).flatMap(pid => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return [{ pid, parentPid: Number(parent), name }]
    } catch {
      // The process has ended in between.
      return []
    }
  })
}

/** The pid in MongoDB's own view, which differs from this machine's if it runs in a container. */
export async function readMongodPid(client: mongoose.mongo.MongoClient): Promise<number> {
  const { pid } = await client.db('admin').command({ serverStatus: 1 })
  return Number(pid)
}
