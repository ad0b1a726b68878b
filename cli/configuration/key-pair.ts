import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { messageOf, StartupError } from "rowhouse/plugin-api";
import { shownPath, systemReason } from "./read-file.js";

/** A key and a certificate, as their files hold them. */
export interface KeyPair {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** @throws StartupError naming the files and what is wrong with them */
export function readKeyPair(keyFile: string, certificateFile: string): KeyPair {
  const pair = { key: read(keyFile), cert: read(certificateFile) };
  const [key, certificate] = [shownPath(keyFile), shownPath(certificateFile)];
  const problem = problemOf(pair, key, certificate);
  if (problem === null) return pair;
  throw new StartupError(`Could not use ${key} with ${certificate} for TLS: ${problem}`);
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new StartupError(`Could not read ${shownPath(file)}: ${systemReason(error)}`);
  }
}

const ENCRYPTED_KEY = /^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m;

function problemOf({ key, cert }: KeyPair, keyFile: string, certificateFile: string): string | null {
  const certificate = certificateOf(cert);
  if (certificate === null) return `${certificateFile} does not contain a certificate in PEM format`;
  if (ENCRYPTED_KEY.test(key.toString("latin1")))
    return `the key has a passphrase. Write one without it: openssl pkey -in ${keyFile} -out NEW`;
  const privateKey = privateKeyOf(key);
  if (privateKey === null) return `${keyFile} does not contain a private key in PEM format`;
  if (!certificate.checkPrivateKey(privateKey))
    return `the key does not belong to the first certificate in ${certificateFile}`;
  try {
    createSecureContext({ key, cert });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function certificateOf(text: Buffer): X509Certificate | null {
  try {
    // The class also reads DER, which the server does not.
    return text.includes("-----BEGIN ") ? new X509Certificate(text) : null;
  } catch {
    return null;
  }
}

function privateKeyOf(text: Buffer): KeyObject | null {
  try {
    return createPrivateKey(text);
  } catch {
    return null;
  }
}
