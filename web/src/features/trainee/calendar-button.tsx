import { Button } from '@mantine/core'
import { exportDueDates, type Task } from '@watchline/contracts/assignments'
import { useState } from 'react'
import { downloadFile } from '../../api/download-file.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'

interface CalendarButtonProps {
  /** Without it, all open tasks. */
  task?: Pick<Task, 'id' | 'title'>
  size?: 'xs' | 'md'
}

/** Downloads the due date of a task, or of all open tasks, for the reader’s own calendar. */
export function CalendarButton({ task, size = 'xs' }: CalendarButtonProps) {
  const alerts = useAlerts()
  const [isPreparing, setPreparing] = useState(false)
  const text = task ? 'Add to calendar' : 'Add all due dates to calendar'

  async function download() {
    if (isPreparing) return
    setPreparing(true)
    const query = task ? `?${new URLSearchParams({ playlist_id: task.id })}` : ''
    const failure = await downloadFile(exportDueDates.path + query, task ? 'due-date.ics' : 'due-dates.ics')
    setPreparing(false)
    if (failure) alerts.fail('The calendar file could not be downloaded. Please try again.', failure)
  }

  return (
    <Button
      variant="default"
      size={size}
      aria-label={task ? `${text}: ${task.title}` : undefined}
      loading={isPreparing}
      onClick={download}
    >
      {text}
    </Button>
  )
}
