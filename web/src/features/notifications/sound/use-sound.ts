import { useEffect } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import { isSoundOn, parseStorageChange, type SoundState, soundSwitched, storeSound } from './sound.ts'

/** The person's choice of sound, the same in all tabs. */
export function useSound(personId: string) {
  const dispatch = useDispatch()
  const isOn = useSelector((state: { sound: SoundState }) => isSoundOn(state, personId))

  useEffect(() => {
    const applyChange = (event: StorageEvent) => {
      const change = parseStorageChange(event)
      if (change) dispatch(soundSwitched(change))
    }
    window.addEventListener('storage', applyChange)
    return () => window.removeEventListener('storage', applyChange)
  }, [dispatch])

  return {
    isOn,
    setSound: (value: boolean) => {
      storeSound(personId, value)
      dispatch(soundSwitched({ personId, isOn: value }))
    },
  }
}
