import { Group } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import { PersonalDataButtons } from '../../../ui/people/personal-data-buttons.tsx'
import { DetailViewsButton } from './detail-views-button.tsx'
import { EraseButton } from './erase-button.tsx'
import styles from './manage-person.module.css'

interface PersonalDataProps {
  person: User
  /** The person is gone. */
  onErased: () => void
}

/** An administrator's actions on the data of a person: export, see who looked, erase. */
export function PersonalData({ person, onErased }: PersonalDataProps) {
  return (
    <section className={styles.actions} aria-labelledby="person-data">
      <h3 id="person-data">Personal data</h3>
      <Group gap="xs">
        <PersonalDataButtons userId={person.id} />
        <DetailViewsButton person={person} />
        <EraseButton person={person} onErased={onErased} />
      </Group>
    </section>
  )
}
