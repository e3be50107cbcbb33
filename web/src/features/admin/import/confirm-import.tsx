import { Button } from '@mantine/core'
import type { PeopleImport } from '@watchline/contracts/people-imports'
import { useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { formatCount } from '../../../ui/format.ts'
import { StackedDialog } from '../../../ui/stacked-dialog.tsx'
import { countPeople } from '../people/people-count.ts'
import { useApplyImportMutation, useCacheImport } from './import-api.ts'
import styles from './people-import.module.css'

interface ImportReadyProps {
  known: PeopleImport
  onStartAgain: () => void
  onChanged: () => void
}

/** A file without problems, waiting for the administrator's confirmation. */
export function ConfirmImport({ known, onStartAgain, onChanged }: ImportReadyProps) {
  const alerts = useAlerts()
  const keepImport = useCacheImport()
  const [asking, setAsking] = useState(false)
  const [applyImport, { isLoading }] = useApplyImportMutation()
  const { total, list } = countPeople(known.counts)
  const people = formatCount(total, 'person', 'people')

  async function apply() {
    const answer = await applyImport({ params: { id: known.id }, body: {} })
    if (answer.data) return keepImport(answer.data.import)
    setAsking(false)
    alerts.fail('The import could not be started', asFailure(answer.error))
    onChanged()
  }

  if (total === 0)
    return (
      <>
        <p className={styles.words}>{known.file_name} names no people. Nothing was imported.</p>
        <div className={styles.actions}>
          <Button onClick={onStartAgain}>Choose another file</Button>
        </div>
      </>
    )
  return (
    <>
      <p className={styles.words}>
        {known.file_name} has no problems: {list}. Nothing was imported yet.
      </p>
      <div className={styles.actions}>
        <Button onClick={() => setAsking(true)}>Bring them in</Button>
        <Button variant="default" onClick={onStartAgain}>
          Choose another file
        </Button>
      </div>
      <StackedDialog
        name="apply-import"
        opened={asking}
        onClose={() => !isLoading && setAsking(false)}
        title={`Bring in ${people}?`}
      >
        <div className={styles.dialog}>
          <p>
            {list} get their roles, supervisors and managers at once. Afterwards you can change each of them, but not
            take the import back as a whole.
          </p>
          <div className={styles.actions}>
            <Button onClick={apply} loading={isLoading}>
              Bring in {people}
            </Button>
            <Button variant="default" onClick={() => setAsking(false)} disabled={isLoading} data-autofocus>
              Cancel
            </Button>
          </div>
        </div>
      </StackedDialog>
    </>
  )
}
