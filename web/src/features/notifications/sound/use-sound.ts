import { useEffect } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import { choiceIn, rememberSound, type SoundState, soundIsOn, soundSwitched } from './sound.ts'

/** Whether the person wants sound, in all their tabs. */
export function useSound(personId: string) {
  const dispatch = useDispatch()
  const on = useSelector((state: { sound: SoundState }) => soundIsOn(state, personId))

  useEffect(() => {
    const follow = (event: StorageEvent) => {
      const choice = choiceIn(event)
      if (choice) dispatch(soundSwitched(choice))
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [dispatch])

  return {
    on,
    switchTo: (next: boolean) => {
      rememberSound(personId, next)
      dispatch(soundSwitched({ personId, on: next }))
    },
  }
}
