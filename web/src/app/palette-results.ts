import type { ChatRoom } from '@watchline/contracts/chat'
import type { Role, User } from '@watchline/contracts/people'
import { useNavigate } from 'react-router'
import { useListPlaylistsQuery, useListTeamQuery } from '../api/lists.ts'
import type { Person } from '../api/signed-in-person.ts'
import { useListUsersQuery } from '../features/admin/admin-api.ts'
import { filterEntries, type PaletteEntry } from '../features/palette/palette-entries.ts'
import { useGetTodayQuery, useListAssignmentsQuery } from '../features/trainee/trainee-api.ts'
import {
  createPlaylist,
  managePerson,
  openChat,
  openMember,
  openPlaylist,
  openTasksMenu,
  requestSupervisor,
  sharePlaylist,
  startSession,
} from '../ui/frame/frame-commands.ts'

interface PaletteResults {
  people: readonly PaletteEntry[]
  playlists: readonly PaletteEntry[]
  actions: readonly PaletteEntry[]
  isLoading: boolean
  failed: boolean
}

const tasksMenu = { label: 'Tasks Menu', command: openTasksMenu }
const newPlaylist = { label: 'New playlist', command: createPlaylist }

/** The dialogs that a role's dashboard opens by its buttons, under the same names. */
const dialogs: Partial<Record<Role, readonly (typeof tasksMenu)[]>> = {
  supervisor: [tasksMenu, newPlaylist],
  director: [tasksMenu, newPlaylist],
  manager: [
    newPlaylist,
    { label: 'Share Playlist', command: sharePlaylist },
    { label: 'Request Supervisor', command: requestSupervisor },
  ],
}

/** The most people, and the most playlists, that one search shows; more letters find the others. */
const shownMatches = 8

/**
 * The people and playlists that the person may see and open, by the list operations of their role.
 * An empty search loads nothing but today's task of a trainee.
 */
export function usePaletteResults(person: Person, search: string): PaletteResults {
  const navigate = useNavigate()
  const isTrainee = person.role === 'user'
  const isAdmin = person.role === 'admin'
  const isIdle = search === ''
  const query = { query: { search, limit: shownMatches } }
  const team = useListTeamQuery(query, { skip: isIdle || isTrainee || isAdmin })
  const users = useListUsersQuery(query, { skip: isIdle || !isAdmin })
  const playlists = useListPlaylistsQuery(query, { skip: isIdle || isTrainee || isAdmin })
  const tasks = useListAssignmentsQuery(undefined, { skip: isIdle || !isTrainee })
  const today = useGetTodayQuery(undefined, { skip: !isTrainee })
  const used = [team, users, playlists, tasks]

  function openPerson(user: User) {
    if (isAdmin) {
      if (!managePerson.send(user)) navigate('/admin?tab=users')
    } else if (user.role === 'user') {
      const member = { user_id: user.id, name: user.name, email: user.email }
      openDashboardUnless(openMember.send(member))
    } else {
      const chatType = chatTypeOf(person, user)
      if (chatType) openChat.send({ other: user, chat_type: chatType })
      else navigate('/dashboard?tab=team')
    }
  }

  /** A command that no part of this screen obeys waits for the dashboard, which opens now. */
  function openDashboardUnless(isObeyed: boolean) {
    if (!isObeyed) navigate('/dashboard')
  }

  const people = isIdle ? [] : ((isAdmin ? users : team).currentData?.items ?? [])
  const startEntry = ({ id, title }: { id: string; title: string }, label: string): PaletteEntry => ({
    id: `start:${label}:${id}`,
    label,
    detail: title === label ? 'Watch' : title,
    run: () => openDashboardUnless(startSession.send(id)),
  })
  const taskEntries = (tasks.data?.items ?? []).map(task => startEntry(task, task.title))
  const foundPlaylists = isIdle ? [] : (playlists.currentData?.items ?? [])
  const playlistEntries = foundPlaylists.map(playlist => ({
    id: `playlist:${playlist.id}`,
    label: playlist.title,
    run: () => openDashboardUnless(openPlaylist.send(playlist)),
  }))
  const dialogEntries = (dialogs[person.role] ?? []).map(({ label, command }) => ({
    id: `dialog:${label}`,
    label,
    run: () => openDashboardUnless(command.send()),
  }))
  const openTask = today.data && today.data.assignment_status !== 'completed' ? today.data : undefined

  return {
    people: people
      .filter(({ id }) => id !== person.id)
      .map(user => ({
        id: `person:${user.id}`,
        label: user.name,
        detail: user.email_verified === false ? `${user.email} (unverified)` : user.email,
        run: () => openPerson(user),
      })),
    playlists: isTrainee ? filterEntries(taskEntries, search) : playlistEntries,
    actions: openTask ? [startEntry(openTask, 'Start today’s session')] : dialogEntries,
    isLoading: used.some(({ isFetching }) => isFetching),
    failed: used.some(({ isError }) => isError),
  }
}

/**
 * The kind of chat with a person one step away; undefined if the two may not write to each other.
 */
function chatTypeOf(person: Person, partner: User): ChatRoom['chat_type'] | undefined {
  if (person.role === 'manager' && partner.role === 'supervisor') return 'supervisor_manager'
  if (person.role === 'director' && partner.role === 'manager') return 'manager_director'
  return undefined
}
