import type { Role } from '@watchline/contracts/people'
import { createElement } from 'react'
import type { Person } from '../api/signed-in-person.ts'
import type { SessionBegin } from '../features/launch/session-address.ts'
import { type Loadable, loadable } from '../ui/feedback/loadable.tsx'
import { SkeletonCard } from '../ui/feedback/states.tsx'

interface ViewProps {
  person: Person
  onStart: (playlistId: string, begin?: SessionBegin) => void
}

export type DashboardRole = Exclude<Role, 'admin'>

const fallback = createElement(SkeletonCard)
const Supervision = loadable(() => import('./supervisor-page.tsx').then(module => module.SupervisorPage), fallback)

/** The first screen of each role after the sign-in. */
export const roleViews: Record<DashboardRole, Loadable<ViewProps>> = {
  user: loadable(() => import('./trainee-page.tsx').then(module => module.TraineePage), fallback),
  supervisor: Supervision,
  director: Supervision,
  manager: loadable(() => import('./manager-page.tsx').then(module => module.ManagerPage), fallback),
}
