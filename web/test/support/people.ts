import type { Admin, User } from '@watchline/contracts/people'

let count = 0

export function makeUser(changes: Partial<User> = {}): User {
  count += 1
  return {
    id: `user-${count}`,
    name: `Person ${count}`,
    email: `person${count}@example.org`,
    picture: null,
    role: 'user',
    manager_id: null,
    supervisor_id: null,
    created_at: '2026-11-01T10:00:00.000Z',
    ...changes,
  }
}

export const administrator: Admin = {
  id: 'admin-1',
  name: 'Admin One',
  email: 'admin@example.org',
  role: 'admin',
  created_at: '2026-11-01T10:00:00.000Z',
}
