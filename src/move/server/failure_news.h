/* Exchange of failures between the servers of a job that survives them. Each server sends those
 * that it knows to the first node's, and that one sends those of all nodes to each of the others.
 * So a process learns of failures on other machines without a transfer of its own, which might have
 * to wait for a failed process. Only the server calls these functions, and cwi_news_write_last a
 * process whose node's server has ended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest number of words with the failures of a job, a bit for each process. */
enum { CWI_NEWS_MOST = 128 };

void cwi_news_start(void);
void cwi_news_stop(void);

/* Collects the failures that this process has recorded, and stores those that other nodes have
 * reported for the processes of my node. Returns true if a neighbour may lack some. */
bool cwi_news_collect(void);

/* Returns true if the servers at the ends of a link exchange failures: one is the first node's. */
bool cwi_news_exchanges(int link);

/* Returns true if the neighbour on a link may lack failures that this server knows. */
bool cwi_news_lack(int link);

/* cwi_news_write stores the failures in `words`, and returns their number, which is 0 if the job
 * does not survive failures. cwi_news_write_last stores those that this process knows, and
 * `failed`, which ran the server. cwi_news_sent records that the neighbour has been sent them,
 * cwi_news_received that it has sent some. */
size_t cwi_news_write(uint64_t words[CWI_NEWS_MOST]);
size_t cwi_news_write_last(uint64_t words[CWI_NEWS_MOST], int failed);
void cwi_news_sent(int link);
void cwi_news_received(int link, const uint64_t *words, size_t count);
