import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import tabBar from '../../../ui/frame/tab-bar.module.css'

interface RegionTabsProps {
  /** At least one; the first is open at the beginning. */
  regions: readonly [name: string, content: ReactNode][]
}

/** On a phone, the regions beside the player are tabs. */
export function RegionTabs({ regions }: RegionTabsProps) {
  return (
    <Tabs defaultValue={regions[0]![0]} keepMounted>
      <Tabs.List grow className={tabBar.tabs}>
        {regions.map(([name]) => (
          <Tabs.Tab key={name} value={name} px="xs">
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {regions.map(([name, region]) => (
        <Tabs.Panel key={name} value={name} pt="md">
          {region}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
