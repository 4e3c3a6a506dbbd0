import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'

/** Where a certificate with its chain, and its key, are: PEM files. */
export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
}

export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

export interface CertificateWatch {
  /** A new certificate that can be used. */
  readonly onChange: (certificate: Certificate) => void
  /** A new one that cannot be used: the old one stays. */
  readonly onError: (error: Error) => void
  /** Milliseconds between two looks at the files; 10,000 by default. */
  readonly interval?: number
}

/** Reads a certificate with its key. Throws an error that names the files if the two cannot be used. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): Certificate {
  try {
    const certificate = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
    createSecureContext(certificate)
    return certificate
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`SMTP_TLS_CERT_FILE ${certFile} and SMTP_TLS_KEY_FILE ${keyFile} cannot be used: ${why}`)
  }
}

/**
 * Looks after the files, which are renewed every few weeks, by their content's time: that works through symbolic
 * links and on every file system. Between the renewal of one and of the other the two do not match; the change
 * of the second one mends that. Returns what ends it.
 */
export function watchCertificate(
  files: CertificateFiles,
  { onChange, onError, interval = 10_000 }: CertificateWatch,
): () => void {
  const reload = () => {
    try {
      onChange(readCertificate(files))
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const paths = [files.certFile, files.keyFile]
  for (const path of paths) watchFile(path, { persistent: false, interval }, reload)
  return () => {
    for (const path of paths) unwatchFile(path, reload)
  }
}
