import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import tabBar from '../../../ui/tab-bar.module.css'

interface RegionTabsProps {
  /** The content of the first tab. */
  info: ReactNode
  regions: readonly [name: string, content: ReactNode][]
}

/** On a phone, the regions beside the player are tabs. */
export function RegionTabs({ info, regions }: RegionTabsProps) {
  return (
    <Tabs defaultValue="Playlist" keepMounted>
      <Tabs.List grow className={tabBar.tabs}>
        <Tabs.Tab value="Playlist" px="xs">
          Playlist
        </Tabs.Tab>
        {regions.map(([name]) => (
          <Tabs.Tab key={name} value={name} px="xs">
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="Playlist" pt="md">
        {info}
      </Tabs.Panel>
      {regions.map(([name, region]) => (
        <Tabs.Panel key={name} value={name} pt="md">
          {region}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
