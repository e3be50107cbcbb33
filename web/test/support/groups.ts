import type { Group } from '@watchline/contracts/groups'

export const makeGroup = (changes: Partial<Group> = {}): Group => ({
  id: 'warehouse',
  name: 'Warehouse',
  source: { kind: 'manual' },
  leader: null,
  assigners: [{ id: 'supervisor-1', name: 'Supervisor One' }],
  member_count: 1,
  pending: false,
  version: 3,
  created_at: '2026-11-20T10:00:00.000Z',
  ...changes,
})
