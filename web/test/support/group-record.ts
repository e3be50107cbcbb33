import type { GroupRecord, MemberRecord, MemberTask } from '@watchline/contracts/records'

export const makeMemberTask = (changes: Partial<MemberTask> = {}): MemberTask => ({
  ...{ playlist_id: 'safety', assigned_at: '2026-11-01T08:00:00.000Z', assigned_by: null, due: null, ended_at: null },
  ...{ override: null, completed: false, completed_at: null, completion_rate: 0, completed_videos: 0 },
  ...{ total_videos: 2, watch_time: 0, credited_seconds: 0, credited_in_period: 0, sessions: 0 },
  ...changes,
})

/** A record with a member for each of these names and lists of tasks. */
export function makeGroupRecord(members: [name: string, tasks: MemberTask[]][], leftOut = 0): GroupRecord {
  const allTasks = members.flatMap(([, tasks]) => tasks)
  const sum = (tasks: readonly MemberTask[], field: 'credited_seconds' | 'sessions') =>
    tasks.reduce((total, task) => total + task[field], 0)
  const figuresOf = (tasks: readonly MemberTask[]) => ({
    ...{ watch_time: sum(tasks, 'credited_seconds'), credited_seconds: sum(tasks, 'credited_seconds') },
    credited_in_period: sum(tasks, 'credited_seconds'),
  })
  return {
    ...{ format: 'watchline.group_record.1', time_zone: 'UTC', period: { from: null, until: null } },
    ...{ playlist_id: null, group: { id: 'warehouse', name: 'Warehouse' } },
    members: { at: 'issue', total: members.length + leftOut, left_out: leftOut },
    playlists: [{ playlist_id: 'safety', title: 'Fire safety', deleted: false }],
    records: members.map(([, tasks], person): MemberRecord => ({ person, tasks, ...figuresOf(tasks) })),
    totals: {
      ...{ tasks: allTasks.length, completed_tasks: allTasks.filter(({ completed }) => completed).length },
      ...{ marked_done_tasks: 0, exempt_tasks: 0, videos: 0, completed_videos: 0 },
      ...{ sessions: sum(allTasks, 'sessions'), ...figuresOf(allTasks) },
    },
    people: members.map(([name], index) => ({ id: `member-${index}`, name, role: 'user' })),
  }
}
