import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { downloadRecord } from '../../api/issue-document.ts'
import { StackedDialog } from '../controls/stacked-dialog.tsx'
import { DocumentDownload } from '../files/document-download.tsx'

/** Opens a dialog that downloads the signed record of a person. */
export function SignedRecordButton({ userId }: { userId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Signed record
      </Button>
      <StackedDialog name="signed-record" opened={isOpen} onClose={() => setOpen(false)} title="Signed record">
        {isOpen ? <SignedRecordForm userId={userId} /> : null}
      </StackedDialog>
    </>
  )
}

function SignedRecordForm({ userId }: { userId: string }) {
  const [from, setFrom] = useState('')
  const [until, setUntil] = useState('')
  const scope = { ...(from && { from }), ...(until && { until }) }
  const isReversed = from !== '' && until !== '' && from > until

  return (
    <Stack gap="md">
      <Text size="sm">
        The tasks with their due dates and exceptions, what was watched, and when. The signature shows anybody that
        Watchline issued it and nobody changed it: <Link to="/verify">verify a record</Link>.
      </Text>
      <Group grow align="start">
        <TextInput
          type="date"
          label="First day"
          description="Empty: from the beginning"
          value={from}
          onChange={event => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label="Last day"
          description="Empty: until now"
          value={until}
          onChange={event => setUntil(event.currentTarget.value)}
        />
      </Group>
      <DocumentDownload
        download={type => downloadRecord(userId, scope, type)}
        obstacle={isReversed ? 'The last day is before the first day.' : undefined}
      />
    </Stack>
  )
}
