import type { Role } from '@watchline/contracts/people'
import { useEffect, useState } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import { hasSoundFor, type StateWithPreferences } from '../preferences/notification-preferences.ts'
import { createChimes } from './chime.ts'
import { hasNotificationChimes, isTeamPanelOpen, type SoundState, teamPanelClosed, teamPanelOpened } from './sound.ts'
import { useSound } from './use-sound.ts'

/**
 * Returns a function that plays the chime of a new notification, if the person's screen has one.
 */
export function useNotificationChime({ id, role }: { id: string; role: Role }): () => void {
  const [chimes] = useState(createChimes)
  const { isOn } = useSound(id)
  const inTeamPanel = useSelector((state: { sound: SoundState }) => isTeamPanelOpen(state))
  const isChosen = useSelector((state: StateWithPreferences) => hasSoundFor(state, id, 'notifications'))
  const isAudible = isOn && isChosen && (role === 'supervisor' || (inTeamPanel && hasNotificationChimes(role)))

  const canHear = hasNotificationChimes(role)
  useEffect(() => (canHear ? chimes.listen() : undefined), [chimes, canHear])

  return () => {
    if (isAudible) void chimes.ring(inTeamPanel ? 'team' : 'dashboard')
  }
}

/** Returns a function that plays the chime of a chat message, for everyone with sound on. */
export function useMessageChime(personId: string): () => void {
  const [chimes] = useState(createChimes)
  const { isOn } = useSound(personId)
  const isChosen = useSelector((state: StateWithPreferences) => hasSoundFor(state, personId, 'messages'))
  useEffect(() => chimes.listen(), [chimes])
  return () => {
    if (isOn && isChosen) void chimes.ring('chat')
  }
}

/** While the calling panel is mounted, notifications use the team panel's chime. */
export function useTeamPanelChime(): void {
  const dispatch = useDispatch()
  useEffect(() => {
    dispatch(teamPanelOpened())
    return () => {
      dispatch(teamPanelClosed())
    }
  }, [dispatch])
}
