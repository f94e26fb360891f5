// Waiting in simulated time. A library of its own: SMPI loads one copy of the program for each
// rank, and this state belongs to all of them.
#include "simulated.h"
#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef aligned_alloc
#undef posix_memalign
#undef free

#include <simgrid/Exception.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <linux/futex.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>

// SMPI's handles are pointers, as Open MPI's (causeway/built_for.h); the library takes it for
// neither.
extern "C" const char cw_built_for_openmpi[1];
const char cw_built_for_openmpi[1] = {1};

namespace s4u = simgrid::s4u;
using simgrid::kernel::resource::Action;
using simgrid::kernel::resource::NetworkAction;

namespace
{

// A wait ends by itself after so long, and later each time nothing has happened in between: only
// for what happens in the node's memory without a word to us.
constexpr double SHORTEST = 1e-6, LONGER = 8, LONGEST = 200e-6;
constexpr int MOST_POLLS = 200;

struct Send {
  const void *buffer;
  int count;
  MPI_Datatype type;
  int to, tag;
  MPI_Comm comm;
};

struct Rank {
  const s4u::Host *host = nullptr;
  long number = 0;
  long bytes = 0, most_bytes = 0; // of memory that the library has
  s4u::SemaphorePtr bell = s4u::Semaphore::create(0);
  bool waits = false;
  double timeout = SHORTEST;
  int polls = 0;       // tests without success since the last wait
  bool active = false; // has received something since: its node peers may find something new
  uint64_t epoch = 0;  // what can complete a request: messages that end, operations that start
  uint64_t some_epoch = ~uint64_t(0);
  std::unordered_map<MPI_Request, uint64_t> tested; // epoch of the last test without success
  std::unordered_map<MPI_Request, Send> unsent;     // persistent requests before their first start
};

struct Node {
  uint64_t requests = 0;
  std::vector<Rank *> ranks;
};

// Equal to the tags in src/move/link/wire_format.h.
constexpr int TAG_REQUEST = 1, TAG_CREDIT = 2;
simulated_traffic traffic;
std::vector<const s4u::Host *> host_of;
std::unordered_set<uint64_t> request_pairs, answer_pairs; // pairs of ranks

std::unordered_map<const s4u::Host *, Node> nodes;
std::unordered_map<const s4u::Actor *, Rank> ranks;

void ring(Rank &rank)
{
  rank.timeout = SHORTEST;
  if (rank.waits) {
    rank.waits = false;
    rank.bell->release();
  }
}

// Something has happened on a host.
void wake(const s4u::Host *host)
{
  const auto node = nodes.find(host);
  if (node == nodes.end())
    return;
  for (Rank *rank : node->second.ranks) {
    rank->epoch++;
    ring(*rank);
  }
}

// SimGrid 3.32 reports every message that ends, but its class is not in the installed headers: the
// two hosts are its first members. Their contents show whether that holds.
struct Ends : Action {
  s4u::Host *source, *destination;
};

void message_ends(NetworkAction &message, Action::State)
{
  const auto &ends = reinterpret_cast<const Ends &>(message);
  if (reinterpret_cast<const Action &>(message).get_state() != Action::State::FINISHED)
    return;
  wake(ends.source);
  if (ends.destination != ends.source)
    wake(ends.destination);
}

Rank &me()
{
  const s4u::Actor *actor = s4u::Actor::self();
  auto found = ranks.find(actor);
  if (found != ranks.end())
    return found->second;
  if (ranks.empty())
    s4u::Link::on_communication_state_change_cb(message_ends);
  Rank &rank = ranks[actor];
  rank.host = s4u::Host::current();
  rank.number = actor->get_pid();
  nodes[rank.host].ranks.push_back(&rank);
  return rank;
}

} // namespace

int simulated_wait()
{
  Rank &rank = me();
  if (rank.active)
    for (Rank *peer : nodes[rank.host].ranks)
      if (peer != &rank)
        ring(*peer);
  rank.active = false;
  rank.polls = 0;
  const double timeout = rank.timeout;
  rank.timeout = std::min(LONGER * timeout, LONGEST);
  rank.waits = true;
  if (!rank.bell->acquire_timeout(timeout))
    return 0;
  // Rung at the very moment of the time-out: take it, or the next wait ends at once.
  if (!rank.waits && !rank.bell->would_block())
    rank.bell->acquire();
  rank.waits = false;
  return 0;
}

static void poll_without_success(Rank &rank)
{
  if (++rank.polls > MOST_POLLS)
    simulated_wait();
}

int simulated_test(MPI_Request *request, int *flag, MPI_Status *status)
{
  Rank &rank = me();
  *flag = 1;
  if (*request == MPI_REQUEST_NULL && status == MPI_STATUS_IGNORE)
    return MPI_SUCCESS;
  uint64_t &tested = rank.tested.try_emplace(*request, ~uint64_t(0)).first->second;
  if (tested == rank.epoch) {
    *flag = 0;
    poll_without_success(rank);
    return MPI_SUCCESS;
  }
  const uint64_t epoch = rank.epoch; // before the call: it may take time
  const MPI_Request started = *request;
  const int code = PMPI_Test(request, flag, status);
  if (*flag) {
    rank.tested.erase(started);
    rank.active = true;
  } else {
    tested = epoch;
    poll_without_success(rank);
  }
  return code;
}

int simulated_testsome(int count, MPI_Request *requests, int *done, int *complete,
                       MPI_Status *statuses)
{
  Rank &rank = me();
  *done = 0;
  if (rank.some_epoch == rank.epoch) {
    poll_without_success(rank);
    return MPI_SUCCESS;
  }
  const uint64_t epoch = rank.epoch;
  const int code = PMPI_Testsome(count, requests, done, complete, statuses);
  if (*done > 0)
    rank.active = true;
  else
    rank.some_epoch = epoch;
  return code;
}

int simulated_send_init(const void *buffer, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm, MPI_Request *request)
{
  const int code = PMPI_Send_init(buffer, count, type, to, tag, comm, request);
  if (code == MPI_SUCCESS)
    me().unsent[*request] = {buffer, count, type, to, tag, comm};
  return code;
}

static int make_again(MPI_Request *request, const Send &send)
{
  const int code = PMPI_Request_free(request);
  return code != MPI_SUCCESS ? code
                             : PMPI_Send_init(send.buffer, send.count, send.type, send.to, send.tag,
                                              send.comm, request);
}

int simulated_startall(int count, MPI_Request *requests)
{
  auto &unsent = me().unsent;
  for (int i = 0; i < count; i++) {
    const auto found = unsent.find(requests[i]);
    if (found == unsent.end())
      continue;
    const Send send = found->second;
    unsent.erase(found);
    if (const int code = make_again(&requests[i], send); code != MPI_SUCCESS)
      return code;
  }
  me().epoch++;
  return PMPI_Startall(count, requests);
}

void simulated_receive(void)
{
  me().epoch++;
}

long simulated_syscall(long number, ...)
{
  va_list arguments;
  va_start(arguments, number);
  (void)va_arg(arguments, const unsigned *);
  const int operation = va_arg(arguments, int);
  va_end(arguments);
  if (number != SYS_futex) {
    errno = ENOSYS;
    return -1;
  }
  if (operation == FUTEX_WAIT)
    return simulated_wait();
  me();
  wake(s4u::Host::current());
  return 0;
}

void counted_has(int, long bytes)
{
  Rank &rank = me();
  rank.bytes += bytes;
  rank.most_bytes = std::max(rank.most_bytes, rank.bytes);
}

void simulated_memory_get(simulated_memory *got)
{
  *got = simulated_memory{};
  for (const auto &node : nodes) {
    const Rank *server = node.second.ranks.front();
    for (const Rank *rank : node.second.ranks)
      if (rank->number > server->number)
        server = rank;
    for (const Rank *rank : node.second.ranks) {
      const bool serves = rank == server;
      long &now = serves ? got->server : got->process;
      long &most = serves ? got->server_most : got->process_most;
      now = std::max(now, rank->bytes);
      most = std::max(most, rank->most_bytes);
    }
  }
}

double simulated_seconds()
{
  return s4u::Engine::get_clock();
}

int simulated_clock(struct timespec *now)
{
  const double seconds = simulated_seconds();
  now->tv_sec = static_cast<time_t>(seconds);
  now->tv_nsec = static_cast<long>(1e9 * (seconds - static_cast<double>(now->tv_sec)));
  return 0;
}

void simulated_compute(double seconds)
{
  s4u::this_actor::sleep_for(seconds);
}

static int64_t numbers[SIMULATED_NUMBERS];
static double last_node;

int64_t simulated_add(int number, int64_t by)
{
  if (number == SIMULATED_NODES && by > 0)
    last_node = simulated_seconds();
  return numbers[number] += by;
}

double simulated_last_node(void)
{
  return last_node;
}

void simulated_traffic_reset(void)
{
  traffic = simulated_traffic{};
  request_pairs.clear();
  answer_pairs.clear();
  for (auto &node : nodes)
    node.second.requests = 0;
  for (auto &rank : ranks)
    rank.second.most_bytes = rank.second.bytes;
}

static uint64_t most_peers(const std::unordered_set<uint64_t> &pairs)
{
  std::unordered_map<uint32_t, uint64_t> peers;
  uint64_t most = 0;
  for (const uint64_t pair : pairs)
    most = std::max(most, ++peers[static_cast<uint32_t>(pair)]);
  return most;
}

void simulated_traffic_get(simulated_traffic *got)
{
  traffic.hot_peers = most_peers(request_pairs);
  traffic.answer_peers = most_peers(answer_pairs);
  for (const auto &node : nodes)
    traffic.hot_messages = std::max(traffic.hot_messages, node.second.requests);
  *got = traffic;
}

// Only the communicator of all ranks counts: the servers' messages go there, with the ranks of
// MPI_COMM_WORLD.
void simulated_count(MPI_Comm comm, int destination, int tag, MPI_Datatype type, int count)
{
  int ranks = 0, all = 0, mine = 0, bytes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_size(comm, &ranks);
  me().epoch++;
  if (ranks != all)
    return;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  MPI_Type_size(type, &bytes);
  host_of.resize(all, nullptr);
  if (host_of[destination] == nullptr) // smpirun numbers its actors like this
    host_of[destination] = s4u::Actor::by_pid(destination + 1)->get_host();
  if (host_of[destination] == s4u::Host::current())
    return;
  traffic.messages++;
  traffic.bytes += static_cast<uint64_t>(bytes) * count;
  traffic.credits += tag == TAG_CREDIT;
  if (tag == TAG_REQUEST) {
    traffic.requests++;
    nodes[host_of[destination]].requests++;
  }
  auto &pairs = tag == TAG_REQUEST || tag == TAG_CREDIT ? request_pairs : answer_pairs;
  pairs.insert(static_cast<uint64_t>(mine) << 32 | static_cast<uint32_t>(destination));
}
