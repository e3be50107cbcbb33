import type { Role } from '@watchline/contracts/people'
import { useEffect, useState } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import { createChimes } from './chime.ts'
import { hearsChimes, type SoundState, teamPanelClosed, teamPanelIsShown, teamPanelOpened } from './sound.ts'
import { useSound } from './use-sound.ts'

/** Gives what rings for news: two tones on a supervisor's dashboard, three rising ones while a team panel is shown. */
export function useChime({ id, role }: { id: string; role: Role }): () => void {
  const [chimes] = useState(createChimes)
  const { on } = useSound(id)
  const inTeamPanel = useSelector((state: { sound: SoundState }) => teamPanelIsShown(state))
  const rings = on && (role === 'supervisor' || (inTeamPanel && hearsChimes(role)))

  const listens = hearsChimes(role)
  useEffect(() => (listens ? chimes.listen() : undefined), [chimes, listens])

  return () => {
    if (rings) void chimes.ring(inTeamPanel ? 'team' : 'dashboard')
  }
}

/** Gives what rings for a message; the same switch governs it. Messages are heard by everybody who wants sound. */
export function useMessageChime(personId: string): () => void {
  const [chimes] = useState(createChimes)
  const { on } = useSound(personId)
  useEffect(() => chimes.listen(), [chimes])
  return () => {
    if (on) void chimes.ring('chat')
  }
}

/** For a team panel: while it is shown, news are told by its own chime instead of the dashboard's. */
export function useTeamPanelChime(): void {
  const dispatch = useDispatch()
  useEffect(() => {
    dispatch(teamPanelOpened())
    return () => {
      dispatch(teamPanelClosed())
    }
  }, [dispatch])
}
