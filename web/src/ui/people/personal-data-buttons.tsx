import { Button } from '@mantine/core'
import { useState } from 'react'
import { saveFile } from '../../api/download-file.ts'
import { readPersonalData } from '../../api/personal-data.ts'
import { useAlerts } from '../feedback/alerts.tsx'
import { formatPersonalDataHtml } from './personal-data-html.ts'

type Format = 'json' | 'html'

/** Two buttons that save all that is recorded of a person: to read, and for other programs. */
export function PersonalDataButtons({ userId }: { userId?: string }) {
  const alerts = useAlerts()
  const [preparing, setPreparing] = useState<Format>()

  async function download(format: Format) {
    if (preparing) return
    setPreparing(format)
    const answer = await readPersonalData(userId)
    setPreparing(undefined)
    if (!answer.ok) return alerts.fail('The data could not be collected. Please try again.', answer.failure)
    const { data } = answer
    const now = new Date()
    const [content, type] =
      format === 'json'
        ? [JSON.stringify({ at: now.toISOString(), data }, null, 2), 'application/json']
        : [formatPersonalDataHtml(data, now), 'text/html']
    saveFile(new Blob([content], { type }), `watchline-data-${now.toISOString().slice(0, 10)}.${format}`)
  }

  return (
    <>
      {(['html', 'json'] as const).map(format => (
        <Button
          key={format}
          variant="default"
          onClick={() => download(format)}
          loading={preparing === format}
          data-disabled={preparing !== undefined && preparing !== format}
        >
          {format === 'html' ? 'Download everything' : 'As JSON'}
        </Button>
      ))}
    </>
  )
}
