// A simulated machine like the Cray XT5 (SeaStar2+), for smpirun -platform.
//   SCALE_TORUS=8x8x16    nodes in the three directions
//   SCALE_FLOWS=32        what if: a node that more messages than these arrive at, n, at a time
//   ejects
//                         2 GB/s * 32 / n; not measured anywhere, only to see what would follow
//
// Model of each node:
//   host       12 cores (two six-core Opterons)
//   NIC        injection and ejection, 2 GB/s each way; 1.9 us on each side, so that MPI's latency
//              between neighbours is 6 us together with the two times 1 us of processor time that
//              run.sh gives to a send and a receive (smpi/os, smpi/or)
//   torus      links of 4.8 GB/s each way (9.6 GB/s in both), 0.05 us a hop, dimension order
//   memory     messages inside the node: 0.5 us, 4 GB/s
// Flows share links fairly. There are no packets, and so no switch buffers that fill: congestion
// costs bandwidth here, and does not stop other nodes' messages, as it did on the real machine.
//
// The figures are those that are usually given for that machine; we had none of the papers at hand
// (D. Abts on the SeaStar torus, 2011; S. Alam et al., SC 2007; Yu, Tipparaju, Vetter, 2012) to
// check them.
#include <simgrid/s4u.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace s4u = simgrid::s4u;

static std::pair<simgrid::kernel::routing::NetPoint *, simgrid::kernel::routing::NetPoint *>
make_node(s4u::NetZone *torus, const std::vector<unsigned long> &, unsigned long number)
{
  const std::string name = "node-" + std::to_string(number);
  s4u::NetZone *node = s4u::create_star_zone(name + "-zone")->set_parent(torus);
  s4u::Host *host = node->create_host(name, 1e10)->set_core_count(12)->seal();
  s4u::SplitDuplexLink *nic = node->create_split_duplex_link(name + "-nic", 2e9);
  nic->set_latency(1.9e-6)->seal();
  const char *flows = std::getenv("SCALE_FLOWS");
  if (flows != nullptr) {
    const double most = std::atof(flows);
    nic->get_link_down()->set_sharing_policy(
        s4u::Link::SharingPolicy::NONLINEAR, [most](double rate, int messages) {
          return messages > most ? rate * most / messages : rate;
        });
  }
  const s4u::Link *memory = node->create_link(name + "-memory", 4e9)->set_latency(0.5e-6)->seal();
  node->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                  {{nic, s4u::LinkInRoute::Direction::UP}}, true);
  node->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr,
                  {s4u::LinkInRoute(memory)}, false);
  auto *gateway = node->create_router(name + "-router");
  node->seal();
  return {node->get_netpoint(), gateway};
}

extern "C" void load_platform(const s4u::Engine &);
void load_platform(const s4u::Engine &)
{
  unsigned long x = 0, y = 0, z = 0;
  const char *torus = std::getenv("SCALE_TORUS");
  if (torus == nullptr || std::sscanf(torus, "%lux%lux%lu", &x, &y, &z) != 3 || x * y * z == 0) {
    std::fprintf(stderr, "platform: SCALE_TORUS must be like 8x8x16\n");
    std::exit(2);
  }
  s4u::create_torus_zone("xt5", nullptr, {x, y, z}, s4u::ClusterCallbacks(make_node), 4.8e9,
                         0.05e-6, s4u::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
}
