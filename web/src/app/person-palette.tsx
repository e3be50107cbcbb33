import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { CommandPalette } from '../features/palette/command-palette.tsx'
import { filterEntries, type PaletteEntry } from '../features/palette/palette-entries.ts'
import { usePaletteResults } from './palette-results.ts'
import { screensOf } from './palette-screens.ts'

interface PersonPaletteProps {
  person: Person
  opened: boolean
  onClose: () => void
  onSignOut: () => void
}

const schemes: Record<MantineColorScheme, string> = { light: 'Light', dark: 'Dark', auto: 'System' }

/** The command palette of a signed-in person: what their role may see, open and do. */
export function PersonPalette({ person, opened, onClose, onSignOut }: PersonPaletteProps) {
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [search, setSearch] = useState('')
  const [searchTerm] = useDebouncedValue(search.trim(), limits.searchDebounceMs)
  // Lists are searched only while the palette is open and a text is typed.
  const results = usePaletteResults(person, opened ? searchTerm : '')

  const screens = screensOf(person.role).map(
    ({ label, address }): PaletteEntry => ({ id: `screen:${address}`, label, run: () => void navigate(address) }),
  )
  const themes = (Object.keys(schemes) as MantineColorScheme[])
    .filter(scheme => scheme !== colorScheme)
    .map((scheme): PaletteEntry => {
      const label = `Theme: ${schemes[scheme]}`
      return { id: `theme:${scheme}`, label, run: () => setColorScheme(scheme) }
    })
  const actions = [...results.actions, ...themes, { id: 'sign-out', label: 'Sign Out', run: onSignOut }]

  return (
    <CommandPalette
      opened={opened}
      onClose={() => {
        onClose()
        setSearch('')
      }}
      search={search}
      onSearch={setSearch}
      isLoading={results.isLoading || (search.trim() !== searchTerm && person.role !== 'user')}
      failure={results.failed ? 'People and playlists could not be searched. Check your connection.' : undefined}
      sections={[
        { title: 'People', entries: search.trim() === '' ? [] : results.people },
        { title: 'Playlists', entries: search.trim() === '' ? [] : results.playlists },
        { title: 'Screens', entries: filterEntries(screens, search) },
        { title: 'Actions', entries: filterEntries(actions, search) },
      ]}
    />
  )
}
