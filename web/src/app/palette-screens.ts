import type { Role } from '@watchline/contracts/people'
import { ownRecordAddress } from './own-record-address.ts'

interface Screen {
  label: string
  address: string
}

const supervision: readonly Screen[] = [
  { label: "Who's Online", address: '/dashboard?tab=online' },
  { label: 'Team Members', address: '/dashboard' },
  { label: 'Playlists', address: '/dashboard?tab=playlists' },
  { label: 'Engagement', address: '/dashboard?tab=engagement' },
  { label: 'Tasks at risk', address: '/dashboard?tab=engagement&view=at-risk' },
  { label: 'Reports', address: '/dashboard?tab=engagement&view=reports' },
]

const screens: Record<Role, readonly Screen[]> = {
  user: [{ label: 'My tasks', address: '/dashboard' }],
  supervisor: supervision,
  director: [...supervision, { label: 'Groups', address: '/dashboard?tab=groups' }],
  manager: [
    { label: 'My Supervisors', address: '/dashboard' },
    { label: 'Team Analytics', address: '/dashboard?tab=analytics' },
    { label: 'Tasks at risk', address: '/dashboard?tab=analytics&view=at-risk' },
    { label: 'Reports', address: '/dashboard?tab=analytics&view=reports' },
    { label: "Who's Online", address: '/dashboard?tab=online' },
    { label: 'Playlists', address: '/dashboard?tab=playlists' },
  ],
  admin: [
    { label: "Who's Online", address: '/admin' },
    { label: 'All Users', address: '/admin?tab=users' },
    { label: 'Import people', address: '/admin?tab=users&view=import' },
    { label: 'Supervisors', address: '/admin?tab=supervisors' },
    { label: 'Managers', address: '/admin?tab=managers' },
    { label: 'Groups', address: '/admin?tab=groups' },
    { label: 'Reports', address: '/admin?tab=reports' },
    { label: 'Settings', address: '/admin?tab=settings' },
    { label: 'Roles from your sign-in provider', address: '/admin?tab=settings&view=rules' },
    { label: 'Mails', address: '/admin?tab=settings&view=mails' },
    { label: 'Audit log', address: '/admin?tab=settings&view=audit' },
  ],
}

/** The screens that a role can open, as their tabs and the person's menu call them. */
export function screensOf(role: Role): readonly Screen[] {
  return [...screens[role], { label: 'What is recorded about me', address: ownRecordAddress({ role }) }]
}
