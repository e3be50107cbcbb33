import { type ReactNode, useEffect, useState } from 'react'

interface DownloadLinkProps {
  fileName: string
  /** The whole CSV file. */
  text: string
  className?: string
  children: ReactNode
}

/** A link to a file that the browser makes from `text`, without a request. */
export function DownloadLink({ fileName, text, className, children }: DownloadLinkProps) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
    setAddress(url)
    return () => URL.revokeObjectURL(url)
  }, [text])
  return (
    <a href={address} download={fileName} className={className}>
      {children}
    </a>
  )
}
